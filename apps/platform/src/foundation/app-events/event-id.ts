/** A position in the log of a person: the phone knows all events up to it. */
export interface Cursor {
  /** Null while the log does not exist: it begins with its first event. */
  log_id: string | null;
  seq: number;
}

/** Stands for the id of a log that does not exist yet. No log has this id. */
const NO_LOG = 'none';

/** Returns the event id by which phones know a cursor. */
export const eventIdOf = ({ log_id, seq }: Cursor): string => `${log_id ?? NO_LOG}-${seq}`;

/** Returns the cursor of an event id, which must be well-formed. */
export function cursorOf(id: string): Cursor {
  const dash = id.lastIndexOf('-');
  const log_id = id.slice(0, dash);
  return { log_id: log_id === NO_LOG ? null : log_id, seq: Number(id.slice(dash + 1)) };
}

/**
 * Whether a log can say what followed a cursor: the cursor belongs to this log and is not beyond its end. A cursor from before the first
 * event fits every log.
 */
export const isIn = (log: Cursor, { log_id, seq }: Cursor): boolean =>
  log_id === null ? seq === 0 : log_id === log.log_id && seq <= log.seq;
