import { createHash, createHmac } from 'node:crypto';
import { Refusal } from '@codase/contracts';

/** What is remembered of a call that raised a challenge. */
export type RaisedKey = Record<'key_hash' | 'body_hash', string>;

/**
 * Hashes the key and the body of a call. Neither hash reveals the context: only a hash of the key is kept, and the body is hashed with the
 * key itself, so the body cannot be guessed without the key.
 */
export const raisedKey = (idempotency_key: string, { share_code, context }: { share_code: string; context: string }): RaisedKey => ({
  key_hash: createHash('sha256').update(idempotency_key).digest('base64url'),
  body_hash: createHmac('sha256', idempotency_key)
    .update(JSON.stringify([share_code, context]))
    .digest('base64url'),
});

/** Refuses a repeated call whose body differs from that of the first. @gap D1-4.5 */
export function checkSameBody(before: Pick<RaisedKey, 'body_hash'>, now: RaisedKey): void {
  if (before.body_hash !== now.body_hash) throw new Refusal('twofa.idempotency_conflict');
}
