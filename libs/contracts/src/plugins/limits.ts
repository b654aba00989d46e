/** @spec D1-8 */
export const PLUGIN_TOKEN_CHARS = 4096;
export const PLUGIN_CALLS_PER_MINUTE = 60; // @spec D2-8
/** The most calls at once, the time for one call, and the largest reply. @gap D2-8 */
export const PLUGIN_CALL = { in_flight: 8, seconds: 10, reply_bytes: 1024 * 1024 } as const;
/** @gap D2-4.5 */
export const PLUGIN_PASS_SECONDS = 300;
/** How many plugins a company may have. @gap D1-8 */
export const PLUGINS_PER_COMPANY = 50;
/** The limits of a description: its field types, the blocks, inputs and outputs of each, and its size. @gap D2-4.5 */
export const PLUGIN_DESCRIPTION = { field_types: 50, parts: 100, bytes: 256 * 1024 } as const;
/** The longest text inside a question. @gap D2-4.5 */
export const PLUGIN_QUESTION = { chars: 10_000 } as const;
