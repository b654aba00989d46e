import type { RunStatus } from '@cds/contracts';
import type { Absent } from '@cds/domain';
import type { TurnState } from './turn-state.ts';

/** A run that is followed; with a turn of the company, also how that stands. */
export interface KeptRun {
  service: string;
  flow_run_id: string;
  flow_id: string | null;
  state: Exclude<TurnState, Absent>;
  status: RunStatus;
  node: string | null;
  look_at: Date | null;
  /** How often somebody said that it has moved. */
  heard: number;
  failures: number;
  opened_at: Date | null;
  attempts: number;
  error_key: string | null;
  hold: string | null;
  holder: string | null;
  held_by: string | null;
  held_until: Date | null;
  submission: string | null;
  overdue_at: Date | null;
  traceparent: string | null;
}

/** One whose turn the company has. */
export type KeptTurn = KeptRun & { flow_id: string; node: string; opened_at: Date };
export type RunKey = Pick<KeptRun, 'service' | 'flow_run_id'>;
