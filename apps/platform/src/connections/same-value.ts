import type { SharedValueRow } from './connection-row.ts';

/** An answer that may replace another. */
interface Next extends Pick<SharedValueRow, 'file_sha256' | 'live' | 'source_private' | 'source_field' | 'verification'> {
  content: unknown;
}

/** Whether an answer equals the stored one: a repeated call causes no event. */
export const isSameValue = (held: SharedValueRow, next: Next): boolean =>
  (held.file_sha256 === null ? held.value === next.content : held.file_sha256 === next.file_sha256) &&
  held.live === next.live &&
  held.source_private === next.source_private &&
  held.source_field === next.source_field &&
  isSameVerification(held.verification, next.verification);

/** Whether two verifications are equal, whatever the order of their members. */
export const isSameVerification = (one: object, other: object): boolean =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
