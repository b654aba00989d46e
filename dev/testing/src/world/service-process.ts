import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, type Unit } from '@codase/stack';

const READY_MS = 240_000;
const LAST_OUTPUT = 4_000_000;
const START_SCRIPT = fileURLToPath(new URL('./start-script.cjs', import.meta.url));

/**
 * Returns the arguments with which Node starts a bundle: from a start script when the test run made one, which costs half as much CPU,
 * otherwise as in production.
 */
export function startArguments({ entry, imports }: Pick<Unit, 'entry' | 'imports'>): string[] {
  const scripts = process.env['CODASE_TEST_START_SCRIPTS'];
  const files = [...imports, entry];
  if (scripts && entry.startsWith(ROOT) && files.every((file) => existsSync(join(scripts, basename(file)))))
    return [START_SCRIPT, scripts, ...files];
  return ['--enable-source-maps', ...imports.flatMap((module) => ['--import', module]), entry];
}

/** Maps the path of a program of this release to that of another release. */
export interface Programs {
  at(file: string): string;
}
const OURS: Programs = { at: (file) => file };

/** A service in its own process, which a test can kill. */
export class ServiceProcess {
  private child: ChildProcess | undefined;
  private output = '';
  readonly unit: Unit;
  /** Another release, whose programs are started in place of this one's. */
  private release: Programs = OURS;

  constructor(unit: Unit) {
    this.unit = unit;
  }

  /** Sets the release from the next start on. */
  startsFrom(release: Programs): void {
    this.release = release;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  get isUp(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  /** The last part of the process's output. */
  get log(): string {
    return this.output;
  }

  /** Starts the process. Resolves when the service reports that it is ready. */
  async start(): Promise<void> {
    const { env, entry, imports } = this.unit;
    const at = (file: string) => this.release.at(file);
    const child = spawn(process.execPath, startArguments({ entry: at(entry), imports: imports.map(at) }), {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-LAST_OUTPUT)));
    const died = once(child, 'exit').then(([code, signal]) => `ended (${signal ?? code})`);
    const ready = once(child, 'message').then(() => undefined);
    const late = new Promise<string>((resolve) => void setTimeout(resolve, READY_MS, 'is not ready in time').unref());
    const failure = await Promise.race([ready, died, late]);
    if (failure) {
      child.kill('SIGKILL');
      throw new Error(`${this.unit.name} ${failure}:\n${this.output}`);
    }
  }

  /** Ends the process as a crash does: it finishes nothing. */
  async kill(): Promise<void> {
    await this.signal('SIGKILL');
  }

  /** Stops the process as if it hangs, with its connections open, until it is thawed or killed. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** Ends the process as an operator does. Returns its exit code. */
  async stop(): Promise<number | null> {
    return this.signal('SIGTERM');
  }

  private async signal(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const gone = once(child, 'exit');
    child.kill(signal);
    this.thaw(); // a frozen process receives the signal only after it is thawed
    await gone;
    return child.exitCode;
  }
}
