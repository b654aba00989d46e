import { Refusal } from '@cds/contracts';

/** What a turn brought: events and more to come, events, none, or trouble. */
export type Turn = 'more' | 'some' | 'none' | { trouble: unknown };

/** Between two drains while events come, and the least between two that bring none. */
const BUSY_MS = 100;
const TROUBLE_MS = 500;
const LONGEST_TROUBLE_MS = 60_000;

/** How long to wait before the next drain, and whether that is because of trouble. */
export interface Pace {
  pauseMs: number;
  isTroubled: boolean;
}

/** Nothing has happened yet. */
export const START: Pace = { pauseMs: 0, isTroubled: false };

/** Hardly while events come, ever longer while none do, and as long as the platform asks for. Trouble is counted from its first time. */
export function nextPace(before: Pace, turn: Turn, idleMs: number): Pace {
  const isTroubled = typeof turn === 'object';
  const doubled = before.isTroubled === isTroubled ? before.pauseMs * 2 : 0;
  return { pauseMs: isTroubled ? troubledMs(doubled, wishedMs(turn.trouble)) : quietMs(doubled, turn, idleMs), isTroubled };
}

function quietMs(doubled: number, turn: 'more' | 'some' | 'none', idleMs: number): number {
  if (turn === 'more') return 0;
  return Math.min(turn === 'some' ? BUSY_MS : Math.max(doubled, BUSY_MS), idleMs);
}

const troubledMs = (doubled: number, wished: number): number =>
  Math.min(Math.max(doubled, TROUBLE_MS, wished), Math.max(LONGEST_TROUBLE_MS, wished));

/** Who cannot be reached has asked for nothing: a gateway that starts again is back in a moment. */
const wishedMs = (trouble: unknown): number =>
  trouble instanceof Refusal && trouble.key !== 'service.unavailable' ? (trouble.retryAfter ?? 0) * 1000 : 0;

/** Trouble that may have come after the events were taken: no answer, one that nobody could read, or one too long for the bus. */
const IN_DOUBT = ['service.unavailable', 'request.too_large'];

/** The platform said no, and drains nothing when it does. @spec D1-4.3 */
export const drainedNothing = (trouble: unknown): boolean => trouble instanceof Refusal && !IN_DOUBT.includes(trouble.key);
