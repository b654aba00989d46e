import { jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { flipBit, forge, pkcs8, public_key, vectors } from '../test/keys.ts';
import { importAccountPublicKey, sealAccountEnvelope, type AccountPublicKey } from './account-envelope.ts';
import { importAccountPrivateKey, openAccountEnvelope, type AccountPrivateKey } from './open/account-envelope.ts';
import { importValuePrivateKey, openValue } from './open/value-wrapper.ts';
import { CryptoRefusal } from './refusal.ts';
import { importValuePublicKey, sealValue } from './value-wrapper.ts';

const account = () => importAccountPublicKey(public_key);
const key = () => importAccountPrivateKey(pkcs8);
const refusal = new CryptoRefusal('envelope');

it.each(['{"event":"field_updated"}', '<event>å</event>', ''])(
  'an account envelope carries a whole webhook body @spec D1-2.3 @spec D1-6.4',
  async (body) => {
    expect(await openAccountEnvelope(await key(), await sealAccountEnvelope(await account(), body))).toBe(body);
  },
);

it('an account envelope wraps its key with RSA-OAEP and SHA-1 @spec D1-2.3', async () => {
  expect(await openAccountEnvelope(await key(), forge({ oaepHash: 'sha1', plaintext: 'body' }))).toBe('body');
  const algorithm = { name: 'RSA-OAEP', hash: { name: 'SHA-1' } };
  expect(await account()).toMatchObject({ algorithm, extractable: false, usages: ['encrypt'] });
  const imported = await (await key()).run(async (key) => key);
  expect(imported).toMatchObject({ algorithm, extractable: false, usages: ['decrypt'] });
});

it("account envelopes and value wrappers do not open with each other's keys @spec D1-2.3", async () => {
  const valueKey = await importValuePrivateKey(pkcs8);
  await expect(openAccountEnvelope(await key(), vectors.madeByOpenssl.values[1]!.text)).rejects.toEqual(refusal);
  await expect(openAccountEnvelope(await key(), await sealValue(await importValuePublicKey(public_key), 'Ada'))).rejects.toEqual(refusal);
  await expect(openValue(valueKey, await sealAccountEnvelope(await account(), 'body'))).rejects.toEqual(refusal);
});

it('account envelope functions throw for keys that were imported for values @spec D1-2.3', async () => {
  const valueKey = (await importValuePrivateKey(pkcs8)) as unknown as AccountPrivateKey;
  const recipient = (await importValuePublicKey(public_key)) as unknown as AccountPublicKey;

  await expect(openAccountEnvelope(valueKey, forge({ oaepHash: 'sha256' }))).rejects.toThrow('not imported for OAEP with SHA-1');
  await expect(sealAccountEnvelope(recipient, 'body')).rejects.toThrow('not imported for OAEP with SHA-1');
});

it.each([
  ['a key wrapped with SHA-256', forge({ oaepHash: 'sha256' })],
  ['a key of 31 bytes', forge({ oaepHash: 'sha1', aesKey: randomBytes(31) })],
  ['a key of 33 bytes', forge({ oaepHash: 'sha1', aesKey: randomBytes(33) })],
  ['a damaged key', forge({ oaepHash: 'sha1', change: (members) => ({ ...members, k: flipBit(String(members.k), 77) }) })],
  ['a damaged tag', forge({ oaepHash: 'sha1', change: (members) => ({ ...members, d: flipBit(String(members.d), 77) }) })],
  ['bytes that are not UTF-8', forge({ oaepHash: 'sha1', plaintext: Buffer.from([0xff]) })],
  ['an extra member', forge({ oaepHash: 'sha1', change: (members) => ({ ...members, note: '' }) })],
  ['a body in the clear', '{"event":"field_updated"}'],
])('openAccountEnvelope refuses %s @gap D1-2.3', async (_, envelope) => {
  await expect(openAccountEnvelope(await key(), envelope)).rejects.toEqual(refusal);
});

it('openAccountEnvelope does the same work whichever step fails @gap D1-2.3', async () => {
  const long = 'x'.repeat(100_000);
  const opener = await key();
  const decrypt = jest.spyOn(crypto.subtle, 'decrypt');
  try {
    for (const envelope of [forge({ plaintext: long }), forge({ oaepHash: 'sha1', aesKey: randomBytes(31), plaintext: long })]) {
      decrypt.mockClear();
      await expect(openAccountEnvelope(opener, envelope)).rejects.toEqual(refusal);
      expect(decrypt).toHaveBeenCalledTimes(2);
    }
  } finally {
    decrypt.mockRestore();
  }
});

it('account keys must be RSA-2048 keys @spec D1-2.4', async () => {
  for (const text of Object.values(vectors.refused.publicKeys)) {
    await expect(importAccountPublicKey(text)).rejects.toEqual(new CryptoRefusal('public_key'));
  }
  await expect(importAccountPrivateKey(pkcs8.slice(1))).rejects.toEqual(new CryptoRefusal('private_key'));
});

it('sealAccountEnvelope refuses a body that UTF-8 cannot encode', async () => {
  await expect(sealAccountEnvelope(await account(), '\ud83d')).rejects.toEqual(new CryptoRefusal('plaintext'));
});
