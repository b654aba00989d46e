import { forge, other, pkcs8 } from '../../test/keys.ts';
import { encodeBase64 } from '../base64.ts';
import { toHex } from '../bytes.ts';
import { CryptoRefusal } from '../refusal.ts';
import { randomSubstituteKey, substituteKeyOf } from './substitute-key.ts';
import { importValuePrivateKey, openValue, unwrapKey } from './value-wrapper.ts';
import { createReplyKey } from './reply-key.ts';

const wrapped = (envelope: string) => (JSON.parse(envelope) as { k: string }).k;
const foreign = forge({ recipient: other.public_key_of_pem });
const tooShort = forge({ aesKey: Buffer.alloc(31, 7) });

describe('the substitute key @gap D1-2.8', () => {
  it.each([
    ['of somebody else', foreign],
    ['of another length', tooShort],
  ])('is the same on each call and in each replica for a wrapped key %s', async (_, envelope) => {
    const [one, replica] = [await importValuePrivateKey(pkcs8), await importValuePrivateKey(pkcs8, { concurrency: 1 })];

    const first = await unwrapKey(one, wrapped(envelope));

    expect(await unwrapKey(one, wrapped(envelope))).toBe(first);
    expect(await unwrapKey(replica, wrapped(envelope))).toBe(first);
    await expect(openValue(one, envelope)).rejects.toEqual(new CryptoRefusal('envelope'));
  });

  it('differs for each wrapped key and has the length of a real key', async () => {
    const key = await importValuePrivateKey(pkcs8);
    const keys = await Promise.all(
      [foreign, tooShort, forge({ recipient: other.public_key_of_pem })].map((e) => unwrapKey(key, wrapped(e))),
    );

    expect(new Set(keys).size).toBe(3);
    for (const value_key of keys) expect(Buffer.from(value_key, 'base64')).toHaveLength(32);
  });

  it('depends on the private key and on the hash that it is used with', async () => {
    const k = new Uint8Array(256).fill(1);
    const changed = pkcs8.slice();
    changed[1000]! ^= 1;
    const substitutes = await Promise.all([
      substituteKeyOf(pkcs8, 'SHA-256'),
      substituteKeyOf(pkcs8, 'SHA-1'),
      substituteKeyOf(changed, 'SHA-256'),
      randomSubstituteKey(),
    ]);

    const keys = await Promise.all(substitutes.map(async (substitute) => toHex(await substitute(k))));

    expect(new Set(keys).size).toBe(4);
  });

  it('is the same on each call for a reply key', async () => {
    const { privateKey } = await createReplyKey();
    const k = encodeBase64(new Uint8Array(256).fill(1));

    expect(await unwrapKey(privateKey, k)).toBe(await unwrapKey(privateKey, k));
  });
});
