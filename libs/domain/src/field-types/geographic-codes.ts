import { iso31661Alpha2ToAlpha3 } from 'iso-3166/1-a2-to-1-a3.js';

/** Whether the text is an assigned ISO 3166-1 alpha-2 code in upper case. Reserved codes such as EU are none. @spec D1-2.5 @gap D1-2.5 */
export const isCountry = (text: string): boolean => Object.hasOwn(iso31661Alpha2ToAlpha3, text);

/**
 * Two-letter codes of USPS Publication 28, appendix B: the states and DC, the territories, the armed forces. The freely associated states
 * of the same appendix are left out: they are countries of their own (FM, MH, PW), and the primitive is for the US only. @gap D1-2.5
 */
const US_STATES: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD ' +
    'TN TX UT VT VA WA WV WI WY DC AS GU MP PR VI AA AE AP'
  ).split(' '),
);

/** Whether the text is a USPS code in upper case. @spec D1-2.5 */
export const isUsState = (text: string): boolean => US_STATES.has(text);
