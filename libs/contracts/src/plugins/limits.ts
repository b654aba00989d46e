/** @spec D1-8 */
export const PLUGIN_TOKEN_CHARS = 4096;
export const PLUGIN_CALLS_PER_MINUTE = 60; // @spec D2-8
/** Calls at once, time for one, and what a reply may weigh. @gap D2-8 */
export const PLUGIN_CALL = { in_flight: 8, seconds: 10, reply_bytes: 1024 * 1024 } as const;
/** @gap D2-4.5 */
export const PLUGIN_PASS_SECONDS = 300;
