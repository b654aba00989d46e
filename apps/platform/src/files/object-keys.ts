import { createHash, randomBytes } from 'node:crypto';

/** What all keys of a region's database begin with. */
export const prefixOf = (region: string, store_id: string): string => `${region}-${store_id}/`;

/**
 * Unguessable, and says nothing of anybody: the second part tells companies apart, for policies and bills of the store, and is no id that
 * anybody else knows.
 */
export function newObjectKey(prefix: string, company_user_id: string): string {
  const company = createHash('sha256').update(prefix).update(company_user_id).digest('hex').slice(0, 32);
  return `${prefix}${company}/${randomBytes(32).toString('base64url')}`;
}

const REST = /^[0-9a-f]{32}\/[\w-]{43}$/;

/** Whether we made the key: nothing else is ever deleted. */
export const isObjectKey = (prefix: string, key: string): boolean => key.startsWith(prefix) && REST.test(key.slice(prefix.length));
