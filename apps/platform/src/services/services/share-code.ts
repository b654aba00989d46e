import { SERVICE_CODE_CHARS } from '@codase/contracts';
import { randomCode } from '@codase/crypto';

/** The alphabet without 0, 1, I and O, which are misread. A company that chooses its code may use them. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Returns the code of a new service, which it has until its company chooses another one. @spec D1-2.4 @gap D1-2.4 */
export const newShareCode = (): string => randomCode(SERVICE_CODE_CHARS, ALPHABET);
