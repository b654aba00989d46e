import { backoffMs } from '@codase/runtime/resilience';

interface StepRule {
  /** The step that follows. */
  next: string;
  /** Whether the company goes back to its old region when the step cannot be done. */
  mayReturn: boolean;
}

/**
 * The steps of a company from one region to another. Until the front door flips, the company can stay where it is; from then on the move
 * only goes forward. Each step is recorded before it is done, and can be repeated. @gap D1-5.6
 */
export const STEPS = {
  /** The old region begins nothing new for the company. */
  pausing: { next: 'settling', mayReturn: true },
  /** The work that the old region had begun ends: deliveries are answered, and their results are written down. */
  settling: { next: 'copying', mayReturn: true },
  /** The new region gets every row, and both regions are compared. */
  copying: { next: 'flipping', mayReturn: true },
  /** The front door sends all callers to the new region. */
  flipping: { next: 'leaving', mayReturn: false },
  /** The old region deletes its rows of the company. */
  leaving: { next: 'arriving', mayReturn: false },
  /** The new region accepts writes. */
  arriving: { next: 'done', mayReturn: false },
  /** The move has failed: the old region accepts writes again. */
  returning: { next: 'forgetting', mayReturn: false },
  /** The new region deletes the rows that it got. */
  forgetting: { next: 'done', mayReturn: false },
} as const satisfies Record<string, StepRule>;
export type Step = keyof typeof STEPS;

/** How many attempts at a step are made before a company that may return does so. They are few, because its writes are paused meanwhile. */
export const MAX_ATTEMPTS = 5;
const BACKOFF = { firstMs: 500, longestMs: 30_000 };

/** A step that failed: how often, and whether it can succeed later. */
interface FailedStep {
  attempts: number;
  isTransient: boolean;
}

/** Returns the step after a failed one, and the pause before it. A move that can only go forward is retried without end. */
export function afterFailure(step: Step, { attempts, isTransient }: FailedStep): { step: Step; waitMs: number } {
  const givesUp = STEPS[step].mayReturn && (!isTransient || attempts >= MAX_ATTEMPTS);
  return givesUp ? { step: 'returning', waitMs: 0 } : { step, waitMs: backoffMs(BACKOFF, attempts) };
}
