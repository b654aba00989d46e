import { Refusal, retryAdvice } from '@cds/contracts';

/** What a turn brought: events and more to come, events, none, or an error. */
export type DrainTurn = 'more' | 'some' | 'none' | { error: unknown };

/** Between two drains while events come, and the least between two that bring none. */
const BUSY_MS = 100;
const FIRST_FAILURE_MS = 500;
const LONGEST_FAILURE_MS = 60_000;

/** How long to wait before the next drain, and whether that is because the last one failed. */
export interface DrainPause {
  pauseMs: number;
  isAfterFailure: boolean;
}

/** Before the first drain. */
export const NO_PAUSE: DrainPause = { pauseMs: 0, isAfterFailure: false };

/** Hardly any while events come, ever longer while none do, and as long as the platform asks for. Failures double from the first one on. */
export function nextPause(before: DrainPause, turn: DrainTurn, idleMs: number): DrainPause {
  const isAfterFailure = typeof turn === 'object';
  const doubled = before.isAfterFailure === isAfterFailure ? before.pauseMs * 2 : 0;
  return { pauseMs: isAfterFailure ? failureMs(doubled, requestedMs(turn.error)) : quietMs(doubled, turn, idleMs), isAfterFailure };
}

function quietMs(doubled: number, turn: 'more' | 'some' | 'none', idleMs: number): number {
  if (turn === 'more') return 0;
  return Math.min(turn === 'some' ? BUSY_MS : Math.max(doubled, BUSY_MS), idleMs);
}

const failureMs = (doubled: number, requested: number): number =>
  Math.min(Math.max(doubled, FIRST_FAILURE_MS, requested), Math.max(LONGEST_FAILURE_MS, requested));

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
