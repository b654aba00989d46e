/** The largest delivery to the suite: with headers it fits into a message of the bus of one megabyte. @gap D1-6.3 */
export const DELIVERY_BYTES = 960 * 1024;
/** For how many hours a delivery that does not open is refused. Then it is parked, before the backlog behind it is purged. @gap D1-6.3 */
export const UNOPENED_HOURS = 6;
/** The number of partitions over which a service's feed is spread on the suite's bus, by person. @gap D1-6 */
export const FEED_PARTITIONS = 16;
/** How long the suite's bus keeps events for services that were away. @gap D1-6 */
export const FEED_STREAM_DAYS = 14;
/** The most events of one resend request. @gap D1-6 */
export const RESEND_EVENTS = 5000;
