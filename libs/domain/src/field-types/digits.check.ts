// These limits are the same as in the contracts. If they ever differ, this file does not compile. They are written twice because the
// contracts need zod, which a phone's bundle should not need to check a value.
import type { CARD_DIGITS, DECIMAL_DIGITS, PHONE_DIGITS } from '@codase/contracts';
import * as digits from './digits.ts';

export const phone: typeof PHONE_DIGITS = digits.PHONE_DIGITS;
export const card: typeof CARD_DIGITS = digits.CARD_DIGITS;
export const decimal: typeof DECIMAL_DIGITS = digits.DECIMAL_DIGITS;
