/** Length of an account client's purpose, and the prefixes the platform keeps for itself. @spec D1-8 @spec D1-2.1 */
export const PURPOSE_CHARS = 64;
export const RESERVED_PURPOSES = ['crm:', 'shopify:'] as const;
/** Clients a company may name. @gap D1-2.1 */
export const ACCOUNT_CLIENTS = 50;

/** For so many hours two secrets of a client are good. @gap D1-4.6 */
export const OLD_SECRET_HOURS = { usual: 24, most: 168 };
