const TARGET = /"target"\s*:\s*\{/;
/** The last string of the text so far, which has not ended yet. */
const LONG_STRING = /"((?:[^"\\]|\\.)*)$/s;

/** Whether a file in the clear begins to arrive, by the part of the body that was read so far. @spec D1-2.12 */
export const isClearFile = (before: string): boolean => LONG_STRING.exec(before)?.[1]?.startsWith('data:') === true;

/**
 * Whether the part of the body that was read so far names a recipient. A body that names one later is refused when all of it has arrived.
 * @spec D1-2.12
 */
export const namesRecipient = (before: string): boolean => TARGET.test(before);
