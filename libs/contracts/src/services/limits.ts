/** The most rows of a service's request. @gap D1-8 */
export const REQUEST_FIELDS = 200;
/** The most bytes that the descriptions of the plugins in a request may have together: every reader of the request gets them. @gap D1-8 */
export const REQUEST_PLUGIN_BYTES = 256 * 1024;

/** How long a code is valid that was mailed to an admin e-mail: longer than the mail may wait. @gap D1-2.4 */
export const ADMIN_EMAIL_CODE_HOURS = 72;
