/** A message to connected persons, sealed. @gap D1-8 */
export const MESSAGE_CHARS = 64 * 1024;
/** A broadcast goes out in one call, all or nothing. @gap D1-4.7 */
export const BROADCAST_MESSAGES = 1000;
