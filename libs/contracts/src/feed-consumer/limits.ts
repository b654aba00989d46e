/** What one delivery to the suite may weigh. It goes on in a message of the bus, with headers, and fits one of a megabyte. @gap D1-6.3 */
export const DELIVERY_BYTES = 960 * 1024;
/** A wrapped delivery that does not open is refused so long, then parked: well before the backlog behind it is purged. @gap D1-6.3 */
export const UNOPENED_HOURS = 6;
/** Subjects a service's feed is spread over on the suite's bus, by person. @gap D1-6 */
export const FEED_PARTITIONS = 16;
/** How long the suite's bus keeps events for those who were away. @gap D1-6 */
export const FEED_STREAM_DAYS = 14;
/** Events of one request to send them again. @gap D1-6 */
export const RESEND_EVENTS = 5000;
