import { setTimeout as pause } from 'node:timers/promises';

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

/** A tally, with what nobody made or what has another content. */
export interface Judgement extends Tally {
  wrong: number;
}

export const NO_FAULTS: Judgement = { lost: 0, duplicated: 0, disordered: 0, wrong: 0 };

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

/** Judges texts that must have arrived once each, in this order. Others are wrong. */
export function judgeTexts(expected: readonly string[], received: readonly string[]): Judgement {
  const numbers = new Map(expected.map((text, nth) => [text, nth + 1]));
  const effects = received.flatMap((text) => (numbers.has(text) ? [{ message_id: text, key: '', n: numbers.get(text)! }] : []));
  return { ...tally(expected, effects), wrong: received.length - effects.length };
}

export function addUp<Counts extends object>(first: Counts, ...more: Partial<NoInfer<Counts>>[]): Counts {
  const names = Object.keys(first) as (keyof Counts)[];
  const sumOf = (name: keyof Counts) => [first, ...more].reduce((sum, counts) => sum + ((counts[name] as number | undefined) ?? 0), 0);
  return Object.fromEntries(names.map((name) => [name, sumOf(name)])) as Counts;
}

const CHECK_MS = 500;

/** Returns the verdict as soon as nothing is missing, or when nothing more has arrived for this long. */
export async function settled<V extends Tally>(verdictNow: () => Promise<V> | V, silenceMs: number): Promise<V> {
  for (let [missing, since] = [Infinity, performance.now()]; ; await pause(CHECK_MS)) {
    const verdict = await verdictNow();
    if (verdict.lost < missing) [missing, since] = [verdict.lost, performance.now()];
    if (missing === 0 || performance.now() - since > silenceMs) return verdict;
  }
}
