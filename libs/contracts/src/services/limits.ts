/** Rows of a service's request. @gap D1-8 */
export const REQUEST_FIELDS = 200;
