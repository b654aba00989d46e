import { SERVICE_CODE_CHARS } from '@cds/contracts';
import { randomCode } from '@cds/crypto';

/** Without 0, 1, I and O, which are misread; who chooses a code may use them. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** The code of a new service, until its company chooses another one. @spec D1-2.4 @gap D1-2.4 */
export const newShareCode = (): string => randomCode(SERVICE_CODE_CHARS, ALPHABET);
