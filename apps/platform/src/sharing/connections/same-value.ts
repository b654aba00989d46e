import type { SharedValueRow } from './connection-row.ts';

/** An answer that may replace another. */
interface Next extends Pick<SharedValueRow, 'file_sha256' | 'live' | 'source_private' | 'source_field' | 'verification' | 'expires_at'> {
  content: unknown;
}

const DAY_MS = 86_400_000;

/** Whether an answer equals the stored one: a repeated call causes no event. */
export const isSameValue = (stored: SharedValueRow, next: Next): boolean =>
  (stored.file_sha256 === null ? stored.value === next.content : stored.file_sha256 === next.file_sha256) &&
  stored.live === next.live &&
  stored.source_private === next.source_private &&
  stored.source_field === next.source_field &&
  isSameVerification(stored.verification, next.verification) &&
  !isProlonged(stored, next);

/**
 * Whether an answer can be fetched for at least a day longer than the stored one. The same file, shared once more when its time is over or
 * about to end, is a new answer; a call that is repeated soon is not.
 */
const isProlonged = (stored: Pick<SharedValueRow, 'expires_at'>, next: Pick<Next, 'expires_at'>): boolean =>
  stored.expires_at !== null && next.expires_at !== null && next.expires_at.getTime() - stored.expires_at.getTime() >= DAY_MS;

/** Whether two verifications are equal, whatever the order of their members. */
export const isSameVerification = (one: object, other: object): boolean =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
