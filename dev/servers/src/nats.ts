import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onPort } from './free-port.ts';
import { logTail, sizeOf } from './log-file.ts';
import type { NatsConfig } from './nats-config.ts';
import { configPath, configText, launchNats, logPath, type NatsServer, type NatsSite } from './nats-command.ts';
import { StartedServer } from './running-server.ts';
import { StartFailure } from './start-failure.ts';

export interface NatsOptions {
  /** The folder for its streams; when absent, a temporary folder that `stop` deletes. */
  dir?: string;
  /** The port; a free one when absent. */
  port?: number;
  config: NatsConfig;
  /** Whether every write reaches the disk before it is acknowledged. */
  durable: boolean;
  /** The name of a node of a cluster. It stays the same, because the other nodes know the node's part of a stream by it. */
  name?: string;
  /** Writes files into the folder before the server starts. */
  fill?: ((dir: string) => void) | undefined;
}

const READY_MS = 60_000;
/** How long to wait for the greeting: a server that takes clients with and without TLS first waits for those that begin with TLS. */
const GREETING_MS = 5000;

/** Starts nats-server on 127.0.0.1. */
export async function startNats(server: NatsServer, options: NatsOptions): Promise<Nats> {
  const { config, durable, name = randomUUID() } = options;
  const temporary = options.dir === undefined;
  const dir = options.dir === undefined ? await mkdtemp(join(tmpdir(), 'codase-nats-')) : resolve(options.dir);
  try {
    await mkdir(dir, { recursive: true });
    options.fill?.(dir);
    return await onPort(options.port, (port) => Nats.start({ server, dir, port, durable, temporary, name }, config));
  } catch (error) {
    if (temporary) await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

export class Nats extends StartedServer<NatsSite> {
  static async start(site: NatsSite, config: NatsConfig): Promise<Nats> {
    await writeConfig(site, config);
    const nats = new Nats(site, await launchNats(site), logPath(site));
    nats.version = await nats.ready();
    return nats;
  }

  /** The URL without user and password: the caller adds those of its user. */
  get url(): string {
    return `nats://127.0.0.1:${this.site.port}`;
  }

  /** Stops the server if it runs, and starts it again on the same port. */
  async restart(): Promise<void> {
    await this.process.stop();
    this.process = await launchNats(this.site);
    await this.ready();
  }

  /** Changes accounts, users and permissions of the running server; when the server refuses them, the former ones stay. */
  async reload(config: NatsConfig): Promise<void> {
    const former = await readFile(configPath(this.site));
    const from = await sizeOf(this.log);
    await writeConfig(this.site, config);
    this.process.signal('SIGHUP');
    for (let waited = 0; waited < 60_000; waited += 20) {
      const said = await logTail(this.log, from);
      if (said.includes('Reloaded server configuration')) return;
      if (said.includes('Failed to reload')) break;
      await sleep(20);
    }
    await writeFile(configPath(this.site), former);
    throw new Error(`nats-server did not take the new configuration and keeps the former one. Its log says:\n${await logTail(this.log)}`);
  }

  private async ready(): Promise<string> {
    const startedAt = performance.now();
    for (;;) {
      const greeting = await greetingOf(this.site.port);
      if (greeting?.server_name === this.site.name) return greeting.version;
      const isLate = performance.now() - startedAt > READY_MS;
      if (isLate) await this.process.stop();
      if (this.process.end !== undefined) {
        const outcome = isLate ? 'not ready after a minute' : this.process.end;
        await this.process.stop();
        throw new StartFailure({ ...this.site, server: 'nats-server' }, await logTail(this.log, this.process.logStart), outcome);
      }
      await sleep(20);
    }
  }
}

async function writeConfig(site: NatsSite, config: NatsConfig): Promise<void> {
  await rm(configPath(site), { force: true }); // an existing file would keep its mode
  await writeFile(configPath(site), configText(config, site), { mode: 0o600 });
}

interface Greeting {
  server_name: string;
  version: string;
}

/** The first line that the server on this port sends to anyone: `INFO {…}`. Undefined while nobody answers. */
function greetingOf(port: number): Promise<Greeting | undefined> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(port, '127.0.0.1')
      .setTimeout(GREETING_MS, () => socket.destroy())
      .setEncoding('utf8');
    socket.on('data', (text) => {
      said += text;
      if (said.includes('\r\n') || said.length > 65_536) socket.destroy();
    });
    socket.on('error', () => undefined); // the server is not there yet: the close event that follows ends the wait
    socket.on('close', () => resolve(readGreeting(said)));
  });
}

function readGreeting(said: string): Greeting | undefined {
  const [, json = ''] = /^INFO (\{.*\})\s*\r\n/.exec(said) ?? [];
  try {
    return JSON.parse(json) as Greeting;
  } catch {
    return undefined;
  }
}
