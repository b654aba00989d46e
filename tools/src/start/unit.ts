import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, ignoringGone, messageOf } from '@codase/command-line';
import { lastLogLines, openLog, sizeOf } from './log-file.ts';
import { writePidFile } from './pid-file.ts';
import { whyNotReady } from '@codase/stack/readiness';

/** A service as the stack describes it. */
export interface Unit {
  name: string;
  entry: string;
  env: Readonly<Record<string, string>>;
  /** What the entry gets on its command line. */
  args?: readonly string[];
  /** Modules to load before the entry, as `node --import` takes them. */
  imports?: readonly string[];
  opsPort: number;
  port?: number;
  url?: string;
  /** Whether its standard output is shown to the person at the terminal, and goes nowhere else. Its log has the rest. */
  shown?: boolean;
  /** The units that must be ready before this one starts; it is stopped before them. */
  needs?: readonly string[];
  /** Whether the next process is started ahead. It waits for the message `begin`, and on `load` loads its code and answers. */
  standsBy?: boolean;
  /** How long it may take to become ready, in place of the supervisor's time. */
  readyWithinMs?: number;
}

export interface UnitFolders {
  cwd: string;
  logs: string;
  pids: string;
}

interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: Error;
}

/** The few variables of this process that a service inherits. Secrets reach it only through its own `env`. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'];

/** A process of a unit. It leads its own group, so Ctrl-C does not reach it; it ends when its channel to the supervisor closes. */
export class UnitProcess {
  readonly log: string;
  readonly ended: Promise<Ending>;
  private readonly child: ChildProcess;
  private logStart: number;
  private pidFile: string;
  private isOver = false;
  private readySince: number | undefined;

  constructor(
    private readonly unit: Unit,
    folders: UnitFolders,
    say: (line: string) => void,
  ) {
    this.log = join(folders.logs, `${unit.name}.log`);
    this.pidFile = join(folders.pids, unit.standsBy ? `${unit.name}.standby` : unit.name);
    this.logStart = sizeOf(this.log);
    this.child = launch(unit, folders.cwd, this.log);
    this.ended = this.watch();
    if (this.child.stdout) createInterface(this.child.stdout).on('line', (line) => say(`${unit.name}: ${line}`));
    if (this.child.pid !== undefined) writePidFile(this.pidFile, this.child.pid);
  }

  get pid(): number | undefined {
    return this.isOver ? undefined : this.child.pid;
  }

  get healthyFor(): number {
    return this.readySince === undefined ? 0 : performance.now() - this.readySince;
  }

  /** Lets a process that stands by load the unit's code. Rejects with a Fault when it cannot, and has ended. */
  async load(): Promise<void> {
    this.logStart = sizeOf(this.log);
    const loaded = new Promise<void>((resolve) => this.child.once('message', () => resolve()));
    this.send('load');
    const failed = this.ended.then(async () => Promise.reject(new Fault(await this.exitReport())));
    await Promise.race([loaded, failed]);
    failed.catch(() => {}); // its end after that is for others to report
  }

  /** Lets a process that stands by become the unit's process. The unit's process before it has ended. */
  begin(): void {
    if (!this.unit.standsBy || this.pid === undefined) return;
    rmSync(this.pidFile, { force: true });
    this.pidFile = join(dirname(this.pidFile), this.unit.name);
    writePidFile(this.pidFile, this.pid);
    this.logStart = sizeOf(this.log);
    this.send('begin');
  }

  /** Resolves when the process answers that it is ready. Rejects with a Fault when it dies first, or is not ready in time. */
  async untilReady(within: number): Promise<void> {
    const deadline = performance.now() + within;
    let reason: string | undefined = 'it was not asked yet';
    while (performance.now() < deadline) {
      if (this.isOver) throw new Fault(await this.exitReport());
      reason = await whyNotReady(this.unit.opsPort);
      if (reason === undefined && !this.isOver) {
        this.readySince = performance.now();
        return;
      }
      await Promise.race([sleep(100), this.ended]);
    }
    const words = lastLogLines(this.log, this.logStart);
    throw new Fault(`${this.unit.name} is not ready after ${Math.round(within / 1000)} s: ${reason}. ${words}`);
  }

  async end(grace: number): Promise<void> {
    this.signal('SIGTERM');
    if (await this.endsWithin(grace)) return;
    this.kill();
    if (await this.endsWithin(5000)) return;
    throw new Fault(`${this.unit.name} (process ${this.child.pid}) does not end even when killed: look at it with ps.`);
  }

  kill(): void {
    if (!this.isOver && this.child.pid !== undefined) ignoringGone(() => process.kill(-this.child.pid!, 'SIGKILL'));
  }

  /** Which unit ended, how, and its last log lines. */
  async exitReport(): Promise<string> {
    const { code, signal, error } = await this.ended;
    const how = error ? `could not be started (${messageOf(error)})` : `died (${signal ? `signal ${signal}` : `exit code ${code}`})`;
    return `${this.unit.name} ${how}. ${lastLogLines(this.log, this.logStart)}`;
  }

  private watch(): Promise<Ending> {
    return new Promise((resolve) => {
      const over = (ending: Ending) => {
        this.isOver = true;
        rmSync(this.pidFile, { force: true });
        resolve(ending);
      };
      this.child.once('exit', (code, signal) => over({ code, signal }));
      this.child.on('error', (error) => this.child.pid === undefined && over({ code: null, signal: null, error }));
    });
  }

  private async endsWithin(time: number): Promise<boolean> {
    const waiting = new AbortController();
    const late = sleep(time, false, { signal: waiting.signal }).catch(() => false);
    const hasEnded = await Promise.race([this.ended.then(() => true), late]);
    waiting.abort();
    return hasEnded;
  }

  private send(message: 'load' | 'begin'): void {
    this.child.send(message, () => {}); // a process that has ended gets no message, and `ended` says so
  }

  private signal(signal: NodeJS.Signals): void {
    if (!this.isOver) this.child.kill(signal);
  }
}

function launch(unit: Unit, cwd: string, log: string): ChildProcess {
  const inherited = Object.fromEntries(INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const imports = (unit.imports ?? []).flatMap((module) => ['--import', module]);
  const output = openLog(log);
  try {
    return spawn(process.execPath, ['--enable-source-maps', ...imports, unit.entry, ...(unit.args ?? [])], {
      cwd,
      env: { ...inherited, ...unit.env },
      detached: true,
      stdio: ['ignore', unit.shown ? 'pipe' : output, output, 'ipc'],
    });
  } finally {
    closeSync(output);
  }
}
