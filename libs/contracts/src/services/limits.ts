/** The most rows of a service's request. @gap D1-8 */
export const REQUEST_FIELDS = 200;

/** How long a code is valid that was mailed to an admin e-mail: longer than the mail may wait. @gap D1-2.4 */
export const ADMIN_EMAIL_CODE_HOURS = 72;
