/** Values the specification fixes, and values it leaves open (marked @gap) that we chose. */

export const ACCESS_TOKEN_SECONDS = 3600; // @spec D1-8

/** Largest request body a structured route reads. @gap D1-8 */
export const BODY_BYTES = 1024 * 1024;
/** Deepest nesting a structured body may have. @gap D1-8 */
export const BODY_DEPTH = 64;
