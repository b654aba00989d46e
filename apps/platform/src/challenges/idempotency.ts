import { createHash, createHmac } from 'node:crypto';
import { Refusal } from '@cds/contracts';

/** What is remembered of a call that raised a challenge. */
export interface RaisedKey {
  key_hash: string;
  body_hash: string;
}

/**
 * Neither tells the context: the key is kept as its hash, and the body is hashed with the key itself, so it cannot be guessed without it.
 */
export const raisedKey = (idempotency_key: string, { share_code, context }: { share_code: string; context: string }): RaisedKey => ({
  key_hash: createHash('sha256').update(idempotency_key).digest('base64url'),
  body_hash: createHmac('sha256', idempotency_key)
    .update(JSON.stringify([share_code, context]))
    .digest('base64url'),
});

/** A repeated call is the same call. @gap D1-4.5 */
export function checkSameBody(before: Pick<RaisedKey, 'body_hash'>, now: RaisedKey): void {
  if (before.body_hash !== now.body_hash) throw new Refusal('twofa.idempotency_conflict');
}
