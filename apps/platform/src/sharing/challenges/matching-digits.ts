import { randomInt, timingSafeEqual } from 'node:crypto';
import { Refusal, withoutGroups } from '@codase/contracts';

/** Returns two random digits, each pair as likely as any other. @spec D1-4.5 */
export const newDigits = (): string => String(randomInt(100)).padStart(2, '0');

/**
 * Decides whether an approval with digits approves or denies. One wrong entry denies: there is no second try. Missing digits are not an
 * entry, so the call is refused and the phone has to ask for them. Blanks between digits do not count. The time
 * of the comparison reveals nothing about the digits. @gap D1-4.5
 */
export function checkDigits(wanted: string | null, typed: string | undefined): 'approve' | 'deny' {
  if (wanted === null) return 'approve';
  if (typed === undefined) throw new Refusal('request.invalid').because('digits: this login needs the two digits that its screen shows');
  const [one, other] = [Buffer.from(wanted), Buffer.from(withoutGroups(typed))];
  return one.length === other.length && timingSafeEqual(one, other) ? 'approve' : 'deny';
}
