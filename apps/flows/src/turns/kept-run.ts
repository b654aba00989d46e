import type { RunStatus } from '@codase/contracts';
import type { Absent } from '@codase/domain';
import type { TurnState } from './turn-state.ts';

/** A run that is followed. During a turn of the company it also has the state of that turn. */
export interface KeptRun {
  service: string;
  flow_run_id: string;
  flow_id: string | null;
  state: Exclude<TurnState, Absent>;
  status: RunStatus;
  node: string | null;
  look_at: Date | null;
  /** How often an event or the poll said that the run has moved. */
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

/** Whether the run has been read from the platform since it was first heard of. Before that, its flow and its node are not known. */
export const isRead = ({ flow_id }: KeptRun): boolean => flow_id !== null;

/** A run that is at a turn of the company. */
export type KeptTurn = KeptRun & { flow_id: string; node: string; opened_at: Date };
export type RunKey = Pick<KeptRun, 'service' | 'flow_run_id'>;
