import type { Bytes, CryptoKey } from '../bytes.ts';
import { hashOf, wrongHash, type OaepHash } from '../oaep-hash.ts';
import { refusing } from '../refusal.ts';
import { checkedPrivateKey } from './private-key.ts';
import { substituteKeyOf, type SubstituteKey } from './substitute-key.ts';

/** How a private key is kept. */
export interface PrivateKeyOptions {
  /**
   * The number of operations at once; 4 when absent, as in Node's thread pool. Use twice the number of cores, and set UV_THREADPOOL_SIZE as
   * high, because Node runs the operations on that pool.
   */
  concurrency?: number;
}

const DEFAULT_CONCURRENCY = 4;

/**
 * Several imports of one private key, each doing one operation at a time. Node guards a CryptoKey with a mutex, so a single import opens
 * values on one core only, however many are requested at once, and keeps the other threads of the pool waiting. Measured on two cores: 290
 * values a second with one import, 430 with two, 540 with four. Two imports for each core keep it busy until the event loop hands out the
 * next value.
 */
export class KeyPool {
  readonly #idle: CryptoKey[];
  readonly #waiting: ((key: CryptoKey) => void)[] = [];
  readonly #hashes: ReadonlySet<string | undefined>;
  /** See `substituteKeyOf`. */
  readonly substitute: SubstituteKey;

  constructor(keys: CryptoKey[], substitute: SubstituteKey) {
    this.#idle = keys;
    this.#hashes = new Set(keys.map(hashOf));
    this.substitute = substitute;
  }

  /** Throws when the key was imported for the other routine. Types do not exist at run time, so the hash is checked. */
  requireHash(hash: OaepHash): void {
    if (this.#hashes.size !== 1 || !this.#hashes.has(hash)) throw wrongHash(hash);
  }

  async run<T>(work: (key: CryptoKey) => Promise<T>): Promise<T> {
    const key = this.#idle.pop() ?? (await new Promise<CryptoKey>((resolve) => this.#waiting.push(resolve)));
    try {
      return await work(key);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(key);
      else this.#idle.push(key);
    }
  }
}

/** Imports a PKCS#8 key once for each operation that may run at the same time. */
export async function importKeyPool(
  pkcs8: Bytes,
  { concurrency = DEFAULT_CONCURRENCY }: PrivateKeyOptions,
  importOnce: (pkcs8: Bytes) => Promise<CryptoKey>,
): Promise<KeyPool> {
  if (!(concurrency >= 1)) throw new RangeError('A private key must do at least one operation: leave `concurrency` out or give 1 or more.');
  return refusing('private_key', async () => {
    checkedPrivateKey(pkcs8);
    const keys = await Promise.all(Array.from({ length: concurrency }, () => importOnce(pkcs8)));
    return new KeyPool(keys, await substituteKeyOf(pkcs8, hashOf(keys[0]!)));
  });
}
