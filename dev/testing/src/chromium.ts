import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { temporaryFolder, type TemporaryFolder } from '@codase/servers/temporary-folder';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--no-startup-window',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--remote-debugging-pipe',
];
const ANSWER_MS = 120_000;
const SETTLE = { tries: 2400, pauseMs: 50 };

/** Finds a Chromium on the PATH: its command and its version ("Chromium 130 …"). Returns undefined when there is none. */
export function findChromium(): { command: string; version: string } | undefined {
  for (const command of NAMES) {
    const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
    if (status === 0) return { command, version: stdout.trim() };
  }
  return undefined;
}

/** The role and the name that a screen reader reads of one element. */
export interface Accessible {
  role: string;
  name: string;
}

interface Answer {
  id: number;
  result?: unknown;
  error?: { message: string };
}

const KEYS = { Tab: 9, Enter: 13, Space: 32 } as const;

/** A headless browser with one page and a simulated keyboard, controlled by the DevTools protocol over a pipe. */
export class Chromium {
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private readonly process: ChildProcess;
  private readonly folder: TemporaryFolder;
  private lastId = 0;
  private session: string | undefined;
  private rest = '';

  private constructor(process: ChildProcess, folder: TemporaryFolder) {
    this.process = process;
    this.folder = folder;
    (process.stdio[4] as Readable).setEncoding('utf8').on('data', (chunk: string) => this.read(chunk));
  }

  static async open(command: string): Promise<Chromium> {
    const folder = temporaryFolder('chromium');
    const flags = [...FLAGS, `--user-data-dir=${join(folder.path, 'profile')}`];
    // The browser writes its temporary files into this folder, because it is killed at the end and cannot delete them itself.
    const env = { ...process.env, TMPDIR: folder.path };
    const browser = new Chromium(
      spawn(command, flags, { env, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] }),
      folder,
    );
    return browser.attach().then(
      () => browser,
      (error: unknown) => browser.close().then(() => Promise.reject(error)),
    );
  }

  /** Opens an address, and waits until the page is loaded. */
  async goesTo(url: string): Promise<void> {
    await this.leaves(() => this.send('Page.navigate', { url }));
  }

  /** Opens a page that runs this code. The page is a file, which makes it a secure context with WebCrypto. */
  async runs(code: string): Promise<void> {
    const file = join(this.folder.path, 'page.html');
    await writeFile(file, `<!doctype html><meta charset="utf-8"><script>${code.replaceAll('</script', '<\\/script')}</script>`);
    await this.goesTo(pathToFileURL(file).href);
  }

  /** Does something that leads to another page, and waits for that page. */
  async leaves(act: () => Promise<unknown>): Promise<void> {
    await this.evaluate('window.left = false');
    await act();
    await this.until(`window.left === undefined && document.readyState === 'complete'`);
  }

  /** Waits until an expression is true, on whichever page is open then. */
  async until(expression: string): Promise<void> {
    for (let tries = 0; tries < SETTLE.tries; tries++) {
      if ((await this.evaluate(expression).catch(() => false)) === true) return;
      await pause(SETTLE.pauseMs);
    }
    throw new Error(`This did not come true in ${(SETTLE.tries * SETTLE.pauseMs) / 1000} seconds: ${expression}`);
  }

  /** Types into the element that has the focus. */
  async types(text: string): Promise<void> {
    await this.send('Input.insertText', { text });
  }

  async presses(key: keyof typeof KEYS): Promise<void> {
    const text = { Tab: undefined, Enter: '\r', Space: ' ' }[key];
    const described = { key: key === 'Space' ? ' ' : key, code: key, windowsVirtualKeyCode: KEYS[key] };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...described, ...(text && { text }) });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...described });
  }

  /** Sets the width of the window and the preferred colour scheme. */
  async displays({ width, scheme }: { width: number; scheme: 'light' | 'dark' }): Promise<void> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height: 800, deviceScaleFactor: 1, mobile: width < 500 });
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  }

  /** Returns the accessibility tree of the page as roles and names. */
  async accessible(): Promise<Accessible[]> {
    const { nodes } = (await this.send('Accessibility.getFullAXTree', {})) as {
      nodes: { ignored: boolean; role?: { value: string }; name?: { value: string } }[];
    };
    return nodes.filter(({ ignored }) => !ignored).map(({ role, name }) => ({ role: role?.value ?? '', name: name?.value ?? '' }));
  }

  /** Returns the awaited value of an expression. */
  async evaluate(expression: string): Promise<unknown> {
    const answer = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    const { result, exceptionDetails } = answer as { result: { value?: unknown }; exceptionDetails?: { text: string } };
    if (exceptionDetails) throw new Error(`The page threw: ${exceptionDetails.text}`);
    return result.value;
  }

  async close(): Promise<void> {
    const exited = new Promise((resolve) => this.process.once('exit', resolve));
    process.kill(-this.process.pid!, 'SIGKILL'); // its whole group: processes of the browser would go on to write into the folder
    await exited;
    this.folder.remove();
  }

  private async attach(): Promise<void> {
    const { targetId } = (await this.send('Target.createTarget', { url: 'about:blank' })) as { targetId: string };
    const { sessionId } = (await this.send('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string };
    this.session = sessionId;
    await this.send('Page.enable', {});
  }

  private send(method: string, params: object): Promise<unknown> {
    const id = ++this.lastId;
    (this.process.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`The browser did not answer ${method}.`)), ANSWER_MS);
      this.waiting.set(id, ({ result, error }) => {
        clearTimeout(late);
        if (error) reject(new Error(error.message));
        else resolve(result);
      });
    });
  }

  /** Reads answers: JSON messages, each ended by a zero byte. */
  private read(chunk: string): void {
    const messages = (this.rest + chunk).split('\0');
    this.rest = messages.pop() ?? '';
    for (const message of messages) {
      const answer = JSON.parse(message) as Answer;
      this.waiting.get(answer.id)?.(answer);
      this.waiting.delete(answer.id);
    }
  }
}
