const TARGET = /"target"\s*:\s*\{/;
/** A long string is the last that was read so far, and is not over. */
const LONG_STRING = /"((?:[^"\\]|\\.)*)$/s;

/** Whether a file begins to come in the clear, by what was read of its body so far. @spec D1-2.12 */
export const isClearFile = (before: string): boolean => LONG_STRING.exec(before)?.[1]?.startsWith('data:') === true;

/** Whether a body has named a recipient by then. One that does so later is refused when all of it has come. @spec D1-2.12 */
export const namesRecipient = (before: string): boolean => TARGET.test(before);
