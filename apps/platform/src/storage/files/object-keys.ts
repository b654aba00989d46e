import { createHash, randomBytes } from 'node:crypto';

/** Returns the prefix of all object keys of a region's database. */
export const prefixOf = (region: string, store_id: string): string => `${region}-${store_id}/`;

/** Returns a new key that says nothing of company and file. Its second part tells companies apart in the store, and nowhere else. */
export function newObjectKey(prefix: string, company_user_id: string): string {
  const company = createHash('sha256').update(prefix).update(company_user_id).digest('hex').slice(0, 32);
  return `${prefix}${company}/${randomBytes(32).toString('base64url')}`;
}

const REST = /^[0-9a-f]{32}\/[\w-]{43}$/;

/** Whether the platform made the key: objects under other keys are never deleted. */
export const isObjectKey = (prefix: string, key: string): boolean => key.startsWith(prefix) && REST.test(key.slice(prefix.length));
