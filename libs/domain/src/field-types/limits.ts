// The limits are here, beside the rules that use them, and not in the contracts: values are sent sealed, so no shape of the contracts
// could check them, and a browser needs only these.

/** Longest text a person may give for one value, in UTF-16 units. @gap D1-8 */
export const TEXT_CHARS = 10_000;
/** Longest file name in an envelope. @gap D1-8 */
export const FILE_NAME_CHARS = 255;
/** Most pages of an ID document. @gap D1-8 */
export const DOCUMENT_PAGES = 20;
/** Longest regex of a row. @gap D1-8 */
export const PATTERN_CHARS = 500;
/** Most states of a regex after its counted repetitions are written out: matching takes so many steps for each character. @gap D1-8 */
export const PATTERN_STATES = 2_500;
