import { Refusal, retryAdvice } from '@cds/contracts';
import { backoffMs } from '@cds/runtime/resilience';

/** What a turn brought: events and more to come, events, none, or an error. */
export type DrainTurn = 'more' | 'some' | 'none' | { error: unknown };

/** From one drain to the next while events come, as the platform lets a client drain ten times a second; the least when none come. */
const BUSY_MS = 100;
/** Drains without events before the pauses grow: where events come now and then, the next one is not far. */
const STILL_BUSY = 5;
const AFTER_FAILURES = { firstMs: 500, longestMs: 60_000 };

/** How long to wait before the next drain, and whether that is because the last one failed. */
export interface DrainPause {
  pauseMs: number;
  isAfterFailure: boolean;
  /** How many drains in a row failed, or brought nothing; counted from below zero where events had come. */
  inARow: number;
}

/** Before the first drain. */
export const NO_PAUSE: DrainPause = { pauseMs: 0, isAfterFailure: false, inARow: 0 };

/**
 * Hardly any while events come and for half a second more, ever longer while none do, and as long as the platform asks for. Failures double
 * from the first one on.
 */
export function nextPause(before: DrainPause, turn: DrainTurn, idleMs: number, random: () => number = Math.random): DrainPause {
  const isAfterFailure = typeof turn === 'object';
  const hasEvents = turn === 'more' || turn === 'some';
  const inARow = hasEvents ? 1 - STILL_BUSY : before.isAfterFailure !== isAfterFailure ? 1 : before.inARow + 1;
  const pauseMs = isAfterFailure ? failureMs(inARow, turn.error) : turn === 'more' ? 0 : quietMs(inARow, idleMs, random);
  return { pauseMs, isAfterFailure, inARow };
}

/** What is left of a pause: it counts from when the turn began, so that events do not wait for the turn too. After trouble it is whole. */
export const leftOf = ({ pauseMs, isAfterFailure }: DrainPause, tookMs: number): number =>
  isAfterFailure ? pauseMs : Math.max(0, pauseMs - tookMs);

/**
 * The first pause that would be the longest is a random part of it: services that began together, at a start or after trouble, are drained
 * all over the interval from then on, and not a thousand of them at once.
 */
function quietMs(inARow: number, idleMs: number, random: () => number): number {
  const grown = (nth: number) => backoffMs({ firstMs: BUSY_MS, longestMs: idleMs }, Math.max(1, nth));
  const isFirstLongest = inARow > 1 && grown(inARow) === idleMs && grown(inARow - 1) < idleMs;
  return isFirstLongest ? random() * idleMs : grown(inARow);
}

const failureMs = (inARow: number, error: unknown): number => Math.max(backoffMs(AFTER_FAILURES, inARow), requestedMs(error));

/**
 * What the platform asked for by Retry-After. One that could not be reached has asked for nothing: a gateway that restarts is soon back.
 */
const requestedMs = (error: unknown): number => (error instanceof Refusal && !isInDoubt(error) ? (error.retryAfter ?? 0) * 1000 : 0);

const isInDoubt = ({ key }: Refusal): boolean => retryAdvice(key).retry === 'in_doubt';

/**
 * Whether the platform refused the drain, and so took nothing. Not where it may have taken the events and its answer got lost: nobody
 * answered, nobody could read it, or it was too long for the bus. @spec D1-4.3
 */
export const drainedNothing = (error: unknown): boolean =>
  error instanceof Refusal && !isInDoubt(error) && error.key !== 'request.too_large';
