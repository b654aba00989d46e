/** One event that took effect: its key, and its number among the events of that key. */
export interface Effect {
  message_id: string;
  key: string;
  n: number;
}

/** Counts of faults: each event must have its effect once, and the effects of one key must be in order. */
export interface Tally {
  lost: number;
  duplicated: number;
  disordered: number;
}

/** Counts the faults by ids and numbers alone. */
export function tally(published: readonly string[], effects: readonly Effect[]): Tally {
  const times = new Map<string, number>();
  for (const { message_id } of effects) times.set(message_id, (times.get(message_id) ?? 0) + 1);
  const highest = new Map<string, number>();
  let disordered = 0;
  for (const { key, n } of effects) {
    if (n < (highest.get(key) ?? 0)) disordered++;
    highest.set(key, Math.max(n, highest.get(key) ?? 0));
  }
  return {
    lost: published.filter((id) => !times.has(id)).length,
    duplicated: [...times.values()].reduce((extra, count) => extra + count - 1, 0),
    disordered,
  };
}
