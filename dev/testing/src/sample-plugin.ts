import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@codase/servers';
import { temporaryFolder } from '@codase/servers/temporary-folder';
import { pluginKeyPem } from './keys.ts';

const MAIN = join(import.meta.dirname, '../../../examples/plugin/src/main.mjs');

/** The sample plugin that companies copy, run as they would run it: in its own process, behind TLS. */
export class SamplePlugin {
  private readonly folder = temporaryFolder('plugin');
  private running: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly tls: { key: string; cert: string },
    readonly token: string,
  ) {}

  static async start(tls: { key: string; cert: string }, token: string): Promise<SamplePlugin> {
    const plugin = new SamplePlugin(await freePort(), tls, token);
    await plugin.startsWithNewKey();
    return plugin;
  }

  get base_url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  async startsWithNewKey(): Promise<void> {
    await this.stop();
    const env = {
      PORT: String(this.port),
      PLUGIN_KEY_FILE: this.file('plugin-key.pem', pluginKeyPem()),
      PLUGIN_TOKEN_FILE: this.file('plugin-token', `${this.token}\n`),
      TLS_KEY_FILE: this.file('tls.key', this.tls.key),
      TLS_CERT_FILE: this.file('tls.crt', this.tls.cert),
    };
    this.running = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(this.running.stdout!, 'data');
  }

  async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    if (!running) return;
    const left = once(running, 'exit');
    running.kill('SIGKILL');
    await left;
  }

  async remove(): Promise<void> {
    await this.stop();
    this.folder.remove();
  }

  private file(name: string, text: string): string {
    const path = join(this.folder.path, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }
}
