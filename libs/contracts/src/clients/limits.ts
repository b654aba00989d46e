/** The longest purpose of an account client, and the prefixes that the platform keeps for itself. @spec D1-8 @spec D1-2.1 */
export const PURPOSE_CHARS = 64;
export const RESERVED_PURPOSES = ['crm:', 'shopify:'] as const;
/** How many account clients a company may have. @gap D1-2.1 */
export const ACCOUNT_CLIENTS = 50;

/** How many sign-in apps a company may have. @gap D1-4.6 */
export const SIGN_IN_APPS_PER_COMPANY = 25;
/** How many redirect URIs and claims a sign-in app may have. @gap D1-4.6 */
export const REDIRECT_URIS = 20;
export const CLAIMS = 100;

/** For how many minutes a sign-in with an app waits for the phone. @gap D1-4.6 */
export const SIGN_IN_MINUTES = 10;
/** How many sign-ins of a person wait at most: a newer one takes the place of the oldest. @gap D1-4.6 */
export const WAITING_SIGN_INS = 5;
/** How long the values of all claims of a sign-in may be together. @gap D1-4.6 */
export const SIGN_IN_VALUES_CHARS = 512 * 1024;

/** For how many hours the old secret of a client works beside the new one. @gap D1-4.6 */
export const OLD_SECRET_HOURS = { usual: 24, most: 168 };

/** How many public keys a client may have: the one in use, the next one, and some more for other places it runs at. @gap D1-5.2 */
export const CLIENT_KEYS = 4;
/** The lengths of RSA keys, in bits. @gap D1-5.2 */
export const CLIENT_KEY_BITS = { least: 2048, most: 4096 } as const;
/** The rules of a client assertion: how far its end may be ahead, how far clocks may differ, how many of a client count. @gap D1-5.2 */
export const CLIENT_ASSERTION = { seconds: 300, skew_seconds: 30, jti_chars: 256, live: 2000 } as const;
