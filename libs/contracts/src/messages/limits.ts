/** The longest message to connected persons, sealed. @gap D1-8 */
export const MESSAGE_CHARS = 64 * 1024;
/** How long a message is kept while its connection stands. @gap D1-8 */
export const MESSAGE_DAYS = 365;
/** The longest page of messages, so that it fits into one message of the bus. A single message always fits. @gap D1-8 */
export const MESSAGE_PAGE_CHARS = 768 * 1024;
/** The most messages of one broadcast, which goes out in one call, all or nothing. @gap D1-4.7 */
export const BROADCAST_MESSAGES = 1000;
