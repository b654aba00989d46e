import { Refusal } from '@codase/contracts';
import { eventually } from './eventually.ts';

/**
 * Repeats a call while a region is overloaded, as happens on a busy machine. A call that is refused for this reason had no effect, so
 * repeating it is safe.
 */
export const whenAvailable = <T extends object>(ask: () => Promise<T>): Promise<T> => eventually<T>(() => ask().catch(unlessUnavailable));

function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.key !== 'service.unavailable') throw error;
}
