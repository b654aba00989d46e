/** How many keys a provider may have: the one in use, and earlier ones whose attestations are still good. @gap D1-2.7 */
export const PROVIDER_KEYS = 8;
/** For how many days an attestation may be good at most; each provider may have less. @gap D1-2.7 */
export const ATTESTATION_DAYS = 3650;
/** For how many days a key that was replaced signs on, unless the operator says otherwise, and at most. @gap D1-2.7 */
export const KEY_OVERLAP_DAYS = { usual: 7, most: 90 } as const;
/** How long a provider has for what a person asked for, in hours: a person may have to show a document to somebody. @gap D1-2.7 */
export const VERIFICATION_REQUEST_HOURS = 24;
/** How many requests of a user wait at most. @gap D1-2.7 */
export const VERIFICATION_REQUESTS = 20;
/** How far the clock of a provider may differ, in seconds, and how long before the attestation the provider may have looked. @gap D1-2.7 */
export const PROVIDER_CLOCK = { skew_seconds: 60, looked_hours: 24 } as const;
