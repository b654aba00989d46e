import type { ChildProcess } from 'node:child_process';
import type { Involved, TargetName } from './assaults.ts';
import { endChild, startChild } from './child-process.ts';

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
  /** How often each HTTP status was answered. */
  statuses: Record<string, number>;
}

/** Strangers in their own process. */
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
