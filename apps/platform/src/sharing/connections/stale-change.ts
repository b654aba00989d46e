import { Refusal } from '@codase/contracts';
import type { SharedValueRow } from './connection-row.ts';

/**
 * Refuses a change that the customer made before a change that a slot already has: it was delayed on its way, and its caller has given up.
 * It is refused rather than ignored, so that a caller that still waits (because the clock of the home region went back) learns of it and
 * repeats the call.
 */
export function refuseStaleChange(slots: readonly Pick<SharedValueRow, 'as_of'>[], at: string): void {
  const moment = new Date(at);
  const isLate = slots.some(({ as_of }) => as_of !== null && as_of > moment);
  if (isLate) throw new Refusal('service.unavailable').because('A later change of yours has come before this one: repeat the call');
}
