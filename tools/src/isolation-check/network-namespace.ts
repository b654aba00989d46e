import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Fault } from '@codase/command-line';
import { command } from '@codase/servers';

/** Addresses that no real network uses (RFC 2544), four for each process. */
const linkOf = (pid: number): { host: string; inside: string } => {
  const prefix = `198.18.${(pid >> 6) & 255}`;
  const first = (pid & 63) * 4;
  return { host: `${prefix}.${first + 1}`, inside: `${prefix}.${first + 2}` };
};

/** A network namespace that reaches one address of this machine, and there only the forwarded ports. It has no route to anywhere else. */
export class NetworkNamespace {
  readonly address: string;
  private readonly forwarders: Forwarder[] = [];

  private constructor(
    private readonly name: string,
    { host }: { host: string },
  ) {
    this.address = host;
  }

  static async open(): Promise<NetworkNamespace> {
    const [name, near, far, link] = [`codase-${process.pid}`, `cdsh${process.pid}`, `cdsn${process.pid}`, linkOf(process.pid)];
    const namespace = new NetworkNamespace(name, link);
    const inside = ['netns', 'exec', name, 'ip'];
    try {
      for (const args of [
        ['netns', 'add', name],
        ['link', 'add', near, 'type', 'veth', 'peer', 'name', far],
        ['link', 'set', far, 'netns', name],
        ['addr', 'add', `${link.host}/30`, 'dev', near],
        ['link', 'set', near, 'up'],
        [...inside, 'addr', 'add', `${link.inside}/30`, 'dev', far],
        [...inside, 'link', 'set', far, 'up'],
        [...inside, 'link', 'set', 'lo', 'up'],
      ])
        await ip(args);
      return namespace;
    } catch (error) {
      await namespace.close();
      throw error;
    }
  }

  /** Lets the namespace reach a port of this machine, by the same number at `address`. */
  async forward(port: number): Promise<Forwarder> {
    const forwarder = await Forwarder.open(this.address, port);
    this.forwarders.push(forwarder);
    return forwarder;
  }

  spawn(file: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
    return spawn('ip', ['netns', 'exec', this.name, file, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Runs a Node script inside the namespace and returns its output. */
  async says(script: string): Promise<string> {
    const args = ['netns', 'exec', this.name, process.execPath, '--input-type=module', '--eval', script];
    const { output, problem } = await command('ip', args, { seconds: 60, env: { PATH: process.env.PATH } });
    if (problem) throw new Fault(`In the namespace: ${problem}`);
    return output;
  }

  async close(): Promise<void> {
    await Promise.all(this.forwarders.map((forwarder) => forwarder.close()));
    await command('ip', ['netns', 'delete', this.name], { seconds: 10 }); // deletes its end of the link, and so the other end
  }
}

async function ip(args: readonly string[]): Promise<void> {
  const { problem } = await command('ip', args, { seconds: 10 });
  if (problem) throw new Fault(`ip ${args.join(' ')}: ${problem}`);
}

class Forwarder {
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    port: number,
  ) {
    server.on('connection', (near) => {
      this.connections += 1;
      const far = connect(port, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy()).on('close', () => (this.sockets.delete(one), other.destroy()));
      }
    });
  }

  static async open(host: string, port: number): Promise<Forwarder> {
    const server = createServer();
    const forwarder = new Forwarder(server, port);
    await once(server.listen(port, host), 'listening');
    return forwarder;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
