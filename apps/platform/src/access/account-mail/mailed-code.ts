import { createHash } from 'node:crypto';
import { Refusal } from '@codase/contracts';
import { randomCode } from '@codase/crypto';

const CODE = { length: 8, alphabet: '23456789ABCDEFGHJKLMNPQRSTUVWXYZ' };

/** How many wrong codes are allowed before a new one has to be asked for. @gap D1-5.8 */
export const MAX_WRONG_CODES = 5;

/** Returns a code to mail to the owner of an account. It has no characters that look like others. */
export const newMailedCode = (): string => randomCode(CODE.length, CODE.alphabet);

/** Returns the form in which the code of an account is stored. */
export const hashMailedCode = (user_id: string, code: string): string =>
  createHash('sha256').update(`${user_id} ${code}`).digest('base64url');

/** Returns the refusal of a code for an account that got `most` mails within a day. */
export const tooManyMails = (most: number): Refusal =>
  new Refusal('rate_limit.exceeded').because(`${most} codes were mailed within a day: use the newest, or come again tomorrow`).after(3600);
