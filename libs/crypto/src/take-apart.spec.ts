import { randomBytes } from 'node:crypto';
import { flipBit, forge, other, pkcs8, public_key } from '../test/keys.ts';
import { importValuePrivateKey, unwrapKey } from './open/value-wrapper.ts';
import { CryptoRefusal } from './refusal.ts';
import { takeApart } from './take-apart.ts';
import { importValuePublicKey, sealValue } from './value-wrapper.ts';

const LONG = 'x'.repeat(300_000);
const refused = new CryptoRefusal('envelope');
const key = () => importValuePrivateKey(pkcs8);

it('takeApart lets a value be opened with its AES key, which unwrapKey returns elsewhere @spec D1-2.3 @gap D1-2.8', async () => {
  const { wrapped_key, openWith } = await takeApart(await sealValue(await importValuePublicKey(public_key), LONG));

  const value_key = await unwrapKey(await key(), wrapped_key);

  expect(value_key).toHaveLength(44);
  expect(await openWith(value_key)).toBe(LONG);
});

it.each<[string, string]>([
  ['another key', forge({ recipient: other.public_key_of_pem })],
  ['a key wrapped with SHA-1', forge({ oaepHash: 'sha1' })],
  ['a key of 31 bytes', forge({ aesKey: randomBytes(31) })],
])('unwrapKey returns for %s a substitute that opens nothing and is the same each time @gap D1-2.8', async (_, wrapper) => {
  const { wrapped_key, openWith } = await takeApart(wrapper);

  const [one, two] = [await unwrapKey(await key(), wrapped_key), await unwrapKey(await key(), wrapped_key)];

  expect(one).toBe(two);
  for (const value_key of [one, two]) await expect(openWith(value_key)).rejects.toEqual(refused);
});

it('takeApart and unwrapKey refuse an altered value, an invalid key and clear text', async () => {
  const damaged = forge({ change: (members) => ({ ...members, d: flipBit(String(members['d']), 3) }) });
  const { wrapped_key, openWith } = await takeApart(damaged);

  await expect(openWith(await unwrapKey(await key(), wrapped_key))).rejects.toEqual(refused);
  await expect(openWith('no key')).rejects.toEqual(refused);
  await expect(unwrapKey(await key(), wrapped_key.slice(4))).rejects.toEqual(refused);
  await expect(takeApart('in the clear')).rejects.toEqual(refused);
});
