import type { RunEntity } from './run.entity.ts';

/** A run that is followed. During a turn of the company it also has the state of that turn. */
export type KeptRun = Omit<RunEntity, 'claimed_until' | 'open_at' | 'remind_at' | 'reminders' | 'changed_at'>;

/** Whether the run has been read from the platform since it was first heard of. Before that, its flow and its node are not known. */
export const isRead = ({ flow_id }: KeptRun): boolean => flow_id !== null;

/** A run that is at a turn of the company. */
export type KeptTurn = KeptRun & { flow_id: string; node: string; opened_at: Date };
export type RunKey = Pick<KeptRun, 'service' | 'flow_run_id'>;
