/** @spec D1-8 */
export const PLUGIN_TOKEN_CHARS = 4096;
export const PLUGIN_CALLS_PER_MINUTE = 60; // @spec D2-8
/** Calls at once, time for one, and what a reply may weigh. @gap D2-8 */
export const PLUGIN_CALL = { in_flight: 8, seconds: 10, reply_bytes: 1024 * 1024 } as const;
/** @gap D2-4.5 */
export const PLUGIN_PASS_SECONDS = 300;
/** How many plugins a company may have. @gap D1-8 */
export const PLUGINS_PER_COMPANY = 50;
/** Of a description: field types, and blocks, inputs and outputs of each; and what it may weigh. @gap D2-4.5 */
export const PLUGIN_DESCRIPTION = { field_types: 50, parts: 100, bytes: 256 * 1024 } as const;
/** A text inside a question. @gap D2-4.5 */
export const PLUGIN_QUESTION = { chars: 10_000 } as const;
