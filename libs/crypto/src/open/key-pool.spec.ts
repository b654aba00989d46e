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

it('a key pool runs one operation per import at a time, in the order of the calls', async () => {
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

it('a key pool frees an import when its operation fails', async () => {
  const pool = new KeyPool([keyNamed('only')], (k) => k);
  const failing = () => Promise.reject(new Error('no'));

  const results = await Promise.allSettled([pool.run(failing), pool.run(failing), pool.run(async () => 'yes')]);

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(await pool.run(async () => 'again')).toBe('again');
});

it('importKeyPool imports the key once per concurrent operation, four times by default', async () => {
  let imports = 0;
  const importOnce = async () => keyNamed(String((imports += 1)));

  await importKeyPool(pkcs8, { concurrency: 1 }, importOnce);
  expect(imports).toBe(1);

  await importKeyPool(pkcs8, {}, importOnce);
  expect(imports).toBe(5);
});

it('importValuePrivateKey refuses a concurrency below one', async () => {
  for (const concurrency of [0, -1, Number.NaN]) {
    await expect(importValuePrivateKey(pkcs8, { concurrency })).rejects.toThrow('leave `concurrency` out or give 1 or more');
  }
});

it('a key pool gives each concurrent operation a different import of the key', async () => {
  const pool = await importValuePrivateKey(pkcs8, { concurrency: 2 });
  const { begun, ends, work } = pieces();

  const both = [pool.run(work), pool.run(work)];
  await settled();

  expect(begun[0]).not.toBe(begun[1]);
  for (const end of ends) end();
  await Promise.all(both);
});
