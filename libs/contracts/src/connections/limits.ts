/** For how many days a file that was shared once can be fetched. After that only its digest is known. @gap D1-2.8 */
export const SHARED_ONCE_FILE_DAYS = 30;

/**
 * For how many days a connect request waits for an answer; for as long, a service may not ask a person again who rejected its request. And
 * how many requests may wait for one person in one region. @gap D1-8
 */
export const CONNECT_REQUESTS = { days: 30, open_per_person: 20 } as const;
