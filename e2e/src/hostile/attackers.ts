import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Involved, TargetName } from './assaults.ts';

/** The targets of the strangers, and their strength as a share of the usual one. */
export interface Orders extends Involved {
  targets: Record<TargetName, readonly number[]>;
  strength: number;
}

export interface Report {
  /** The connections that were begun, and those that were due but left out, because too many of their kind were open. */
  tried: number;
  left_out: number;
  open: number;
  longest_half_ms: number;
  statuses: Record<string, number>;
}

export class Attackers {
  report: Report = { tried: 0, left_out: 0, open: 0, longest_half_ms: 0, statuses: {} };

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (report: Report) => (this.report = report));
  }

  static async begin(orders: Orders): Promise<Attackers> {
    const { child } = await startChild('attackers', { HOSTILE_ORDERS: JSON.stringify(orders) });
    return new Attackers(child);
  }

  end(): Promise<void> {
    return endChild(this.child);
  }
}

export async function startChild(program: string, env: Record<string, string> = {}): Promise<{ child: ChildProcess; first: unknown }> {
  const path = fileURLToPath(new URL(`../../dist/hostile/${program}.main.js`, import.meta.url));
  const child = fork(path, { env: { PATH: process.env['PATH'], ...env }, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit').then(() => Promise.reject(new Error(`${program} did not start`)));
  const [first] = (await Promise.race([once(child, 'message'), exited])) as unknown[];
  exited.catch(() => undefined); // its later end is not a failure
  return { child, first };
}

export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
