import { Refusal, retryAdvice } from '@codase/contracts';
import { backoffMs } from '@codase/runtime/resilience';

/** The result of a turn: events with more to come, events, no events, or an error. */
export type DrainTurn = 'more' | 'some' | 'none' | { error: unknown };

/** The time from one drain to the next while events come, and the shortest when none come: a client may drain ten times a second. */
const BUSY_MS = 100;
/** How many drains may bring no events before the pauses grow: after an event, the next one is probably near. */
const STILL_BUSY = 5;
const AFTER_FAILURES = { firstMs: 500, longestMs: 60_000 };

/** How long to wait before the next drain, and whether that is because the last one failed. */
interface DrainPause {
  pauseMs: number;
  isAfterFailure: boolean;
  /** How many drains in a row failed or brought nothing. The count starts below zero after a drain with events. */
  inARow: number;
}

export const NO_PAUSE: DrainPause = { pauseMs: 0, isAfterFailure: false, inARow: 0 };

/**
 * Returns the next pause: very short while events come and for half a second more, longer and longer while none come, and at least as long
 * as the platform asks for. After failures it doubles from the first failure on.
 */
export function nextPause(before: DrainPause, turn: DrainTurn, idleMs: number, random: () => number = Math.random): DrainPause {
  const isAfterFailure = typeof turn === 'object';
  const hasEvents = turn === 'more' || turn === 'some';
  const inARow = hasEvents ? 1 - STILL_BUSY : before.isAfterFailure !== isAfterFailure ? 1 : before.inARow + 1;
  const pauseMs = isAfterFailure ? failureMs(inARow, turn.error) : turn === 'more' ? 0 : quietMs(inARow, idleMs, random);
  return { pauseMs, isAfterFailure, inARow };
}

/** Returns what is left of a pause that began with the turn. After a failure the whole pause is left. */
export const leftOf = ({ pauseMs, isAfterFailure }: DrainPause, tookMs: number): number =>
  isAfterFailure ? pauseMs : Math.max(0, pauseMs - tookMs);

/**
 * Returns the pause after drains without events. The first pause of the full length is shortened at random: services that began together,
 * at a start or after a failure, are then drained at different times of the interval, and not a thousand of them at once.
 */
function quietMs(inARow: number, idleMs: number, random: () => number): number {
  const grown = (nth: number) => backoffMs({ firstMs: BUSY_MS, longestMs: idleMs }, Math.max(1, nth));
  const isFirstLongest = inARow > 1 && grown(inARow) === idleMs && grown(inARow - 1) < idleMs;
  return isFirstLongest ? random() * idleMs : grown(inARow);
}

const failureMs = (inARow: number, error: unknown): number => Math.max(backoffMs(AFTER_FAILURES, inARow), requestedMs(error));

/** Returns the pause that the platform asked for with Retry-After. It is zero when no answer came: a gateway that restarts is soon back. */
const requestedMs = (error: unknown): number => (error instanceof Refusal && !isInDoubt(error) ? (error.retryAfter ?? 0) * 1000 : 0);

const isInDoubt = ({ key }: Refusal): boolean => retryAdvice(key).retry === 'in_doubt';

/**
 * Whether the platform refused the drain, and so took no events from the feed. False when it may have taken events and its answer was lost:
 * no answer came, the answer was not readable, or it was too long for the bus. @spec D1-4.3
 */
export const drainedNothing = (error: unknown): boolean =>
  error instanceof Refusal && !isInDoubt(error) && error.key !== 'request.too_large';
