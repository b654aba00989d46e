/** A file that was shared once can be fetched so long; after that only its digest is known. @gap D1-2.8 */
export const SHARED_ONCE_FILE_DAYS = 30;
