import { randomInt, timingSafeEqual } from 'node:crypto';
import { Refusal } from '@cds/contracts';

/** Two digits, each pair as likely as any other. @spec D1-4.5 */
export const newDigits = (): string => String(randomInt(100)).padStart(2, '0');

/**
 * What an approval comes to: one wrong entry denies, and nobody gets a second try. Digits that are missing are no entry: the phone has to
 * ask for them. The time it takes tells nothing of the digits. @gap D1-4.5
 */
export function checkDigits(wanted: string | null, typed: string | undefined): 'approve' | 'deny' {
  if (wanted === null) return 'approve';
  if (typed === undefined) throw new Refusal('request.invalid').because('digits: this login needs the two digits that its screen shows');
  const [one, other] = [Buffer.from(wanted), Buffer.from(typed)];
  return one.length === other.length && timingSafeEqual(one, other) ? 'approve' : 'deny';
}
