import { pkcs8 } from '../../test/keys.ts';
import type { CryptoKey } from '../bytes.ts';
import { importLanes, Lanes } from './lanes.ts';
import { importValuePrivateKey } from './value-wrapper.ts';

const keyNamed = (name: string) => ({ name }) as unknown as CryptoKey;

/** Work that ends when told to. */
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

it('does one piece of work per lane at a time, in the order asked', async () => {
  const [a, b] = [keyNamed('a'), keyNamed('b')];
  const lanes = new Lanes([a, b]);
  const { begun, ends, work } = pieces();

  const all = [1, 2, 3, 4].map(() => lanes.run(work));
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

it('frees the lane of work that fails, for those waiting and those to come', async () => {
  const lanes = new Lanes([keyNamed('only')]);
  const failing = () => Promise.reject(new Error('no'));

  const results = await Promise.allSettled([lanes.run(failing), lanes.run(failing), lanes.run(async () => 'yes')]);

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(await lanes.run(async () => 'again')).toBe('again');
});

it('imports the key once per lane, four times unless told otherwise', async () => {
  let imports = 0;
  const importOnce = async () => keyNamed(String((imports += 1)));

  await importLanes(pkcs8, { lanes: 1 }, importOnce);
  expect(imports).toBe(1);

  await importLanes(pkcs8, {}, importOnce);
  expect(imports).toBe(5);
});

it('says so when a key is given no lane to work on', async () => {
  for (const lanes of [0, -1, Number.NaN]) {
    await expect(importValuePrivateKey(pkcs8, { lanes })).rejects.toThrow('leave `lanes` out or give 1 or more');
  }
});

it('gives each lane a key of its own, for Node locks a key while it works', async () => {
  const lanes = await importValuePrivateKey(pkcs8, { lanes: 2 });
  const { begun, ends, work } = pieces();

  const both = [lanes.run(work), lanes.run(work)];
  await settled();

  expect(begun[0]).not.toBe(begun[1]);
  for (const end of ends) end();
  await Promise.all(both);
});
