import { pkcs8 } from '../../test/keys.ts';
import type { CryptoKey } from '../bytes.ts';
import { importKeyPool, KeyPool } from './key-pool.ts';
import { importValuePrivateKey } from './value-wrapper.ts';

const keyNamed = (name: string) => ({ name }) as unknown as CryptoKey;

/** Work that ends when the test says so. */
function pieces() {
  const ends: (() => void)[] = [];
  const begun: CryptoKey[] = [];
  const work = (key: CryptoKey) => {
    begun.push(key);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  return { begun, ends, work };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('does one operation per import at a time, in the order asked', async () => {
  const [a, b] = [keyNamed('a'), keyNamed('b')];
  const pool = new KeyPool([a, b], (k) => k);
  const { begun, ends, work } = pieces();

  const all = [1, 2, 3, 4].map(() => pool.run(work));
  await settled();
  expect(begun).toEqual([b, a]);

  ends[0]!();
  await settled();
  expect(begun).toEqual([b, a, b]);

  ends[1]!();
  ends[2]!();
  await settled();
  ends[3]!();
  await Promise.all(all);
  expect(begun).toHaveLength(4);
});

it('frees the import of work that fails, for those waiting and those to come', async () => {
  const pool = new KeyPool([keyNamed('only')], (k) => k);
  const failing = () => Promise.reject(new Error('no'));

  const results = await Promise.allSettled([pool.run(failing), pool.run(failing), pool.run(async () => 'yes')]);

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(await pool.run(async () => 'again')).toBe('again');
});

it('imports the key as often as it is to work at once, four times by default', async () => {
  let imports = 0;
  const importOnce = async () => keyNamed(String((imports += 1)));

  await importKeyPool(pkcs8, { concurrency: 1 }, importOnce);
  expect(imports).toBe(1);

  await importKeyPool(pkcs8, {}, importOnce);
  expect(imports).toBe(5);
});

it('refuses a key that may do no operation', async () => {
  for (const concurrency of [0, -1, Number.NaN]) {
    await expect(importValuePrivateKey(pkcs8, { concurrency })).rejects.toThrow('leave `concurrency` out or give 1 or more');
  }
});

it('gives each operation at once a key of its own, since Node locks a key while it works', async () => {
  const pool = await importValuePrivateKey(pkcs8, { concurrency: 2 });
  const { begun, ends, work } = pieces();

  const both = [pool.run(work), pool.run(work)];
  await settled();

  expect(begun[0]).not.toBe(begun[1]);
  for (const end of ends) end();
  await Promise.all(both);
});
