/** A place in the log of a person: all events up to it are known to the phone. */
export interface Cursor {
  /** Null before the log has begun, with its first event. */
  log_id: string | null;
  seq: number;
}

/** No log has this id. */
const NO_LOG = 'none';

/** As phones see it. */
export const eventIdOf = ({ log_id, seq }: Cursor): string => `${log_id ?? NO_LOG}-${seq}`;

/** Of an id that has the form of one. */
export function cursorOf(id: string): Cursor {
  const dash = id.lastIndexOf('-');
  const log_id = id.slice(0, dash);
  return { log_id: log_id === NO_LOG ? null : log_id, seq: Number(id.slice(dash + 1)) };
}

/** Whether a log can say what followed a cursor: it is its own, and not beyond its end. Before the first event there was nothing. */
export const isIn = (log: Cursor, { log_id, seq }: Cursor): boolean =>
  log_id === null ? seq === 0 : log_id === log.log_id && seq <= log.seq;
