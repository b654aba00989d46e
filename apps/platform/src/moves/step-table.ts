import { backoffMs } from '@cds/runtime/resilience';

interface StepRule {
  /** The step that follows. */
  next: string;
  /** Whether the company goes back to where it was when the step cannot be done. */
  mayReturn: boolean;
}

/**
 * The way of a company from one region to another. Until the front door flips, the company may stay where it is; from then on it only
 * goes forward. Each step is recorded before it is done and can be repeated. @gap D1-5.6
 */
export const STEPS = {
  /** The old region begins nothing more of the company. */
  pausing: { next: 'settling', mayReturn: true },
  /** What it had begun ends: deliveries are answered, and that is written down. */
  settling: { next: 'copying', mayReturn: true },
  /** The new region gets every row, and both hold the same. */
  copying: { next: 'flipping', mayReturn: true },
  /** The front door sends everybody to the new region. */
  flipping: { next: 'leaving', mayReturn: false },
  /** The old region forgets. */
  leaving: { next: 'arriving', mayReturn: false },
  /** The new region saves again. */
  arriving: { next: 'done', mayReturn: false },
  /** It did not come to pass: the old region saves again. */
  returning: { next: 'forgetting', mayReturn: false },
  /** The new region forgets what it got. */
  forgetting: { next: 'done', mayReturn: false },
} as const satisfies Record<string, StepRule>;
export type Step = keyof typeof STEPS;

/** Attempts at a step before a company that may return does. Meanwhile its writes are paused, so they are few. */
export const MOST_ATTEMPTS = 5;
const BACKOFF = { firstMs: 500, longestMs: 30_000 };

/** A step that failed: how often, and whether it can succeed later. */
export interface FailedStep {
  attempts: number;
  isTransient: boolean;
}

/** What comes after a step that failed. A move that can only go forward is retried for as long as it takes. */
export function afterFailure(step: Step, { attempts, isTransient }: FailedStep): { step: Step; waitMs: number } {
  const givesUp = STEPS[step].mayReturn && (!isTransient || attempts >= MOST_ATTEMPTS);
  return givesUp ? { step: 'returning', waitMs: 0 } : { step, waitMs: backoffMs(BACKOFF, attempts) };
}
