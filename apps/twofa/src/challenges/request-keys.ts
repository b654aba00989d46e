import { createHash, createHmac } from 'node:crypto';

interface KeyedRequest {
  share_code: string;
  idempotency_key: string;
  context: string;
}

/**
 * Returns the key of a request at the platform and in the table. Two internal services may choose the same key and must not get each
 * other's approval, so it is made of the asker and the asker's key. As a digest it is short enough for the platform and says nothing in the
 * database.
 */
export const platformKey = (asker: string, { idempotency_key }: KeyedRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([asker, idempotency_key]))
    .digest('hex');

/** Returns a digest that shows whether a repeat says the same. Its key is stored nowhere, so the context cannot be guessed from it. */
export const bodyDigest = ({ share_code, idempotency_key, context }: KeyedRequest): string =>
  createHmac('sha256', idempotency_key)
    .update(JSON.stringify([share_code, context]))
    .digest('hex');
