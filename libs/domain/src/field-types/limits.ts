// They stay beside the rules that ask them: values travel sealed, so no shape of the contracts could, and a browser carries them alone.

/** Longest text a person may give for one value, in UTF-16 units. @gap D1-8 */
export const TEXT_CHARS = 10_000;
/** Longest file name in an envelope. @gap D1-8 */
export const FILE_NAME_CHARS = 255;
/** Most pages of an ID document. @gap D1-8 */
export const DOCUMENT_PAGES = 20;
/** Longest regex of a row. @gap D1-8 */
export const PATTERN_CHARS = 500;
/** Most states a regex may have once its counted repetitions are written out: matching costs so many steps a character. @gap D1-8 */
export const PATTERN_STATES = 2_500;
