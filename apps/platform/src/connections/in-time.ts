import { Refusal } from '@cds/contracts';
import type { SharedValueRow } from './connection-row.ts';

/**
 * Refuses what a customer did before something that is known already: it was held up on its way here, and nobody waits for it any more.
 * Refused rather than passed over: where a clock at home went back, whoever does wait learns of it and comes again.
 */
export function checkInTime(slots: readonly Pick<SharedValueRow, 'as_of'>[], at: string): void {
  const moment = new Date(at);
  const isLate = slots.some(({ as_of }) => as_of !== null && as_of > moment);
  if (isLate) throw new Refusal('service.unavailable').because('A later change of yours has come before this one: repeat the call');
}
