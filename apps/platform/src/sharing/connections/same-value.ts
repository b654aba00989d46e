import type { SharedValueRow } from './connection-row.ts';

/** An answer that may replace another. */
interface Next extends Pick<SharedValueRow, 'file_sha256' | 'live' | 'source_private' | 'source_field' | 'verification' | 'expires_at'> {
  content: unknown;
}

const DAY_MS = 86_400_000;

/** Whether an answer equals the stored one: a repeated call causes no event. */
export const isSameValue = (held: SharedValueRow, next: Next): boolean =>
  (held.file_sha256 === null ? held.value === next.content : held.file_sha256 === next.file_sha256) &&
  held.live === next.live &&
  held.source_private === next.source_private &&
  held.source_field === next.source_field &&
  isSameVerification(held.verification, next.verification) &&
  !isProlonged(held, next);

/**
 * Whether an answer can be fetched for at least a day longer than the stored one. The same file, shared once more when its time is over or
 * about to end, is a new answer; a call that is repeated soon is not.
 */
const isProlonged = (held: Pick<SharedValueRow, 'expires_at'>, next: Pick<Next, 'expires_at'>): boolean =>
  held.expires_at !== null && next.expires_at !== null && next.expires_at.getTime() - held.expires_at.getTime() >= DAY_MS;

/** Whether two verifications are equal, whatever the order of their members. */
export const isSameVerification = (one: object, other: object): boolean =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
