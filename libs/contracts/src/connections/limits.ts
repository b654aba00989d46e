/** A file that was shared once can be fetched so long; after that only its digest is known. @gap D1-2.8 */
export const SHARED_ONCE_FILE_DAYS = 30;

/**
 * A connect request waits so many days for an answer, and who rejected one is not asked again by that service for as long. So many wait for
 * a person at most in one region. @gap D1-8
 */
export const CONNECT_REQUESTS = { days: 30, open_per_person: 20 } as const;
