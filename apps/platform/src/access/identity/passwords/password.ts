import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';

/** The lowest cost (`ln`): a guess takes 32 MiB and some 80 ms of a core. Hashes have their cost, so it can be raised. @gap D1-5 */
export const MIN_HASH_COST = 15;
const COST = costOf(MIN_HASH_COST);
const SALT_BYTES = 16;
const KEY_BYTES = 32;

export interface HashCost {
  ln: number;
  r: number;
  p: number;
}

/** Returns the parameters of scrypt. Adding one to `ln` doubles the memory and the time of a guess. */
export function costOf(ln: number): HashCost {
  return { ln, r: 8, p: 1 };
}

/** Hashes a password into the form that is stored: `scrypt$ln=15,r=8,p=1$salt$key`. */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, cost);
  return `scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/** Returns whether the password fits the hash. For an unknown account (null) it takes as long as for a hash of the cost `unknown`. */
export async function passwordMatches(password: string, hash: string | null, unknown = COST): Promise<boolean> {
  const kept = hash === null ? undefined : readHash(hash);
  const { salt, key, cost } = kept ?? { salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES), cost: unknown };
  const same = timingSafeEqual(await derive(password, salt, cost), key);
  return same && kept !== undefined;
}

function readHash(hash: string): { salt: Buffer; key: Buffer; cost: HashCost } | undefined {
  const [, ln, r, p, salt, key] = /^scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]{43})$/.exec(hash) ?? [];
  if (!salt || !key) return undefined;
  return { salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url'), cost: { ln: Number(ln), r: Number(r), p: Number(p) } };
}

const scryptKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Derives the key. The password is normalised (NFKC, NIST SP 800-63B), so that it matches whichever keyboard wrote it. */
function derive(password: string, salt: Buffer, { ln, r, p }: HashCost): Promise<Buffer> {
  const N = 2 ** ln;
  return scryptKey(password.normalize('NFKC'), salt, KEY_BYTES, { N, r, p, maxmem: 2 * 128 * N * r });
}
