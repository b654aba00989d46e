import { PHONE_DIGITS } from './digits.ts';

const SEPARATORS = /[ \-().]/g;
const PHONE = new RegExp(`^\\+?[0-9]{${PHONE_DIGITS.least},${PHONE_DIGITS.most}}$`);

/** Whether the text, without its separators, is 4 to 15 digits with an optional leading +. @spec D1-2.5 @spec D1-8 */
export const isPhone = (text: string): boolean => PHONE.test(text.replace(SEPARATORS, ''));
