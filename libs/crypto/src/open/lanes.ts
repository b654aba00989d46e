import type { Bytes, CryptoKey } from '../bytes.ts';
import { refusing } from '../refusal.ts';
import { checkedPrivateKey } from './private-key.ts';

/** How a private key is held. */
export interface PrivateKeyOptions {
  /** Operations at once: twice the cores, and UV_THREADPOOL_SIZE as high, for Node does them on that pool. Default 4, as the pool's. */
  lanes?: number;
}

const DEFAULT_LANES = 4;

/**
 * Several imports of one private key, each doing one operation at a time. Node guards a CryptoKey with a mutex, so a single import opens
 * values on one core however many are asked for at once, and keeps the other threads of the pool waiting. Measured on two cores: 290 a
 * second with one import, 430 with two, 540 with four: two a core bridge the time until the event loop hands out the next value.
 */
export class Lanes {
  readonly #idle: CryptoKey[];
  readonly #waiting: ((key: CryptoKey) => void)[] = [];

  constructor(keys: CryptoKey[]) {
    this.#idle = keys;
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

/** Imports a PKCS#8 key once per lane. */
export async function importLanes(
  pkcs8: Bytes,
  { lanes = DEFAULT_LANES }: PrivateKeyOptions,
  importOnce: (pkcs8: Bytes) => Promise<CryptoKey>,
): Promise<Lanes> {
  if (!(lanes >= 1)) throw new RangeError('A private key needs at least one lane: leave `lanes` out or give 1 or more.');
  return refusing('private_key', async () => {
    checkedPrivateKey(pkcs8);
    return new Lanes(await Promise.all(Array.from({ length: lanes }, () => importOnce(pkcs8))));
  });
}
