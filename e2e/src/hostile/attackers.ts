import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TargetName } from './assaults.ts';

const CHILD = fileURLToPath(new URL('../../dist/hostile/attackers.main.js', import.meta.url));

/** Whom strangers attack, and with how much of the usual strength. */
export interface Orders {
  targets: Record<TargetName, readonly number[]>;
  victim: { email: string; redirect_uri: string };
  strength: number;
}

export interface Report {
  tried: number;
  open: number;
  /** How often each HTTP status was answered. */
  statuses: Record<string, number>;
}

/** Strangers in a process of their own. */
export class Attackers {
  report: Report = { tried: 0, open: 0, statuses: {} };

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (report: Report) => (this.report = report));
  }

  static async begin(orders: Orders): Promise<Attackers> {
    const env = { PATH: process.env['PATH'], HOSTILE_ORDERS: JSON.stringify(orders) };
    const child = fork(CHILD, { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const [said] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
    if (said !== 'ready') throw new Error('the attackers did not start');
    return new Attackers(child);
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }
}
