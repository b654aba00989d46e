import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Of the kernel's clock in /proc; the same on every Linux we run on. */
const TICKS_PER_SECOND = 100;

/** A server in a process of its own, so that its CPU can be told from the client's. It says it is ready over IPC. */
export class ServerProcess {
  private constructor(private readonly child: ChildProcess) {}

  static async start(entry: string, env: Readonly<Record<string, string>>): Promise<ServerProcess> {
    const child = spawn(process.execPath, [entry], { env: { PATH: process.env['PATH'], LOG_LEVEL: 'error', ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const died = once(child, 'exit').then(() => {
      throw new Error(`${entry} ended before it was ready: see its message above.`);
    });
    await Promise.race([once(child, 'message'), died]);
    died.catch(() => undefined); // it is asked to end later
    return new ServerProcess(child);
  }

  /** Microseconds of CPU it has used so far. */
  get cpuMicroseconds(): number {
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill();
    await gone;
  }
}
