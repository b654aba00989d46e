import { monotonic } from './monotonic.ts';

/** The length of a tick: nobody notices it, and a thousand pauses of some seconds wake the process a few times a second. */
const TICK_MS = 100;

/** The functions that wait for each tick. */
const ticks = new Map<number, Set<() => void>>();

/**
 * Calls `goOn` after about `ms`, at the nearest tick, together with all others that wait for this tick: what they begin goes out in one
 * packet, and its answers are read at once. The wait does not keep the process alive. Returns a function that ends it before.
 */
export function atNextTick(ms: number, goOn: () => void): () => void {
  const now = monotonic();
  const tick = Math.max(Math.round((now + ms) / TICK_MS), Math.floor(now / TICK_MS) + 1);
  const waiting = ticks.get(tick) ?? startTick(tick, tick * TICK_MS - now);
  const waiter = () => goOn(); // two callers may wait with the same function
  waiting.add(waiter);
  return () => void waiting.delete(waiter);
}

function startTick(tick: number, inMs: number): Set<() => void> {
  const waiting = new Set<() => void>();
  ticks.set(tick, waiting);
  setTimeout(() => {
    ticks.delete(tick);
    for (const goOn of waiting) goOn();
  }, inMs).unref();
  return waiting;
}
