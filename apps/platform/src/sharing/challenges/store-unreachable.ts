import { Refusal } from '@codase/contracts';
import { isTransient } from '@codase/runtime/resilience';

/** Refusals after which nothing was consumed and the same call can succeed later. */
const LATER = ['db.writes_paused', 'service.unavailable'];

/** Turns an error into `twofa.unavailable` when challenges cannot be read or written now: that is no outcome. @spec D1-4.5 @spec D1-7 */
export const storeUnreachable = (error: unknown): unknown => {
  if (error instanceof Refusal) return LATER.includes(error.key) ? unavailable() : error;
  return isTransient(error) || isLockTimeout(error) ? unavailable() : error;
};

/** Whether another transaction held the row for too long. */
const isLockTimeout = (error: unknown): boolean => (error as { code?: string } | null)?.code === '55P03';

export const unavailable = (): Refusal => new Refusal('twofa.unavailable').after(1);
