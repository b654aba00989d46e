import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--remote-debugging-pipe',
];
const ANSWER_MS = 30_000;

/** "Chromium 130 …" and the command that says so; undefined when none is on the PATH. */
export function findChromium(): { command: string; version: string } | undefined {
  for (const command of NAMES) {
    const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
    if (status === 0) return { command, version: stdout.trim() };
  }
  return undefined;
}

/** A headless browser with one page, spoken to in the DevTools protocol over a pipe: messages of JSON, each ended by a zero byte. */
export class Chromium {
  readonly #process: ChildProcess;
  readonly #dir: string;
  readonly #waiting = new Map<number, (answer: { result?: unknown; error?: { message: string } }) => void>();
  #lastId = 0;
  #session: string | undefined;
  #rest = '';

  private constructor(process: ChildProcess, dir: string) {
    this.#process = process;
    this.#dir = dir;
    (process.stdio[4] as Readable).setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk));
  }

  /** A page from the disk (which makes it a secure context, with WebCrypto) that runs this code. */
  static async open(command: string, code: string): Promise<Chromium> {
    const dir = await mkdtemp(join(tmpdir(), 'cds-chromium-'));
    const file = join(dir, 'page.html');
    await writeFile(file, `<!doctype html><meta charset="utf-8"><script>${code.replaceAll('</script', '<\\/script')}</script>`);
    const flags = [...FLAGS, `--user-data-dir=${join(dir, 'profile')}`];
    const process = spawn(command, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    const browser = new Chromium(process, dir);
    return browser.#attach(pathToFileURL(file).href).then(
      () => browser,
      (error: unknown) => browser.close().then(() => Promise.reject(error)),
    );
  }

  /** The value of an expression, awaited. */
  async evaluate(expression: string): Promise<unknown> {
    const answer = await this.#send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    const { result, exceptionDetails } = answer as { result: { value?: unknown }; exceptionDetails?: { text: string } };
    if (exceptionDetails) throw new Error(`The page threw: ${exceptionDetails.text}`);
    return result.value;
  }

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await exited;
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 5 });
  }

  async #attach(url: string): Promise<void> {
    const { targetId } = (await this.#send('Target.createTarget', { url })) as { targetId: string };
    const { sessionId } = (await this.#send('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string };
    this.#session = sessionId;
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await this.evaluate('typeof cds').catch(() => undefined)) === 'object') return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('The page did not load in ten seconds.');
  }

  #send(method: string, params: object): Promise<unknown> {
    const id = (this.#lastId += 1);
    (this.#process.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId: this.#session })}\0`);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`The browser did not answer ${method}.`)), ANSWER_MS);
      this.#waiting.set(id, ({ result, error }) => {
        clearTimeout(late);
        if (error) reject(new Error(error.message));
        else resolve(result);
      });
    });
  }

  #read(chunk: string): void {
    const messages = (this.#rest + chunk).split('\0');
    this.#rest = messages.pop() ?? '';
    for (const message of messages) {
      const answer = JSON.parse(message);
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    }
  }
}
