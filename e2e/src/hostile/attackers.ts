import type { ChildProcess } from 'node:child_process';
import type { Involved, TargetName } from './assaults.ts';
import { endChild, startChild } from './child-process.ts';

/** Whom strangers attack, and with how much of the usual strength. */
export interface Orders extends Involved {
  targets: Record<TargetName, readonly number[]>;
  strength: number;
}

export interface Report {
  /** Connections that were begun, and those that were due and were not, as too many of their kind were open. */
  tried: number;
  left_out: number;
  open: number;
  /** The longest that half a request was held. */
  longest_half_ms: number;
  /** How often each HTTP status was answered. */
  statuses: Record<string, number>;
}

/** Strangers in a process of their own. */
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
