import { jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { flipBit, forge, other, passphrase, pkcs8, public_key, vectors } from '../test/keys.ts';
import { importAccountPublicKey } from './account-envelope.ts';
import { importAccountPrivateKey, openAccountEnvelope } from './open/account-envelope.ts';
import { readPrivateKeyPem } from './open/pem.ts';
import { importValuePrivateKey, openValue, unwrapKey, type ValuePrivateKey } from './open/value-wrapper.ts';
import { CryptoRefusal } from './refusal.ts';
import { importValuePublicKey, sealValue, type ValuePublicKey } from './value-wrapper.ts';

const recipient = () => importValuePublicKey(public_key);
const key = () => importValuePrivateKey(pkcs8);
const LONG = 'x'.repeat(100_000);

/** One envelope per way in which opening fails once its form is right. */
const faults = {
  'another key': forge({ recipient: other.public_key_of_pem, plaintext: LONG }),
  'a key wrapped with SHA-1': forge({ oaepHash: 'sha1', plaintext: LONG }),
  'a key of 31 bytes': forge({ aesKey: randomBytes(31), plaintext: LONG }),
  'a key of 33 bytes': forge({ aesKey: randomBytes(33), plaintext: LONG }),
  'no key at all': forge({ aesKey: Buffer.alloc(0), plaintext: LONG }),
  'a damaged key': forge({ plaintext: LONG, change: (members) => ({ ...members, k: flipBit(String(members.k), 900) }) }),
  'a damaged IV': forge({ plaintext: LONG, change: (members) => ({ ...members, iv: flipBit(String(members.iv), 9) }) }),
  'a damaged ciphertext': forge({ plaintext: LONG, change: (members) => ({ ...members, d: flipBit(String(members.d), 9) }) }),
  'a damaged tag': forge({ plaintext: LONG, change: (members) => ({ ...members, d: flipBit(String(members.d), 800_000 + 9) }) }),
};

it.each(['', 'Ada', 'Åsa 🏠', '\ufeffkept', LONG])('openValue returns the text that sealValue sealed @spec D1-2.3', async (text) => {
  expect(await openValue(await key(), await sealValue(await recipient(), text))).toBe(text);
});

it('sealValue uses a fresh key and IV each time @spec D1-2.3', async () => {
  const one = JSON.parse(await sealValue(await recipient(), 'Ada'));
  const two = JSON.parse(await sealValue(await recipient(), 'Ada'));
  expect(one.k).not.toBe(two.k);
  expect(one.iv).not.toBe(two.iv);
  expect(one.d).not.toBe(two.d);
});

it('openValue opens a value that another program wrapped with SHA-256 @spec D1-2.3', async () => {
  expect(await openValue(await key(), forge({ plaintext: 'Ada' }))).toBe('Ada');
});

it.each(Object.entries(faults))(
  'openValue refuses %s after the same work and with the same message @spec D1-2.3 @gap D1-2.3',
  async (_, wrapper) => {
    const opener = await key();
    const decrypt = jest.spyOn(crypto.subtle, 'decrypt');
    try {
      const refusal = await openValue(opener, wrapper).catch((error: unknown) => error);

      expect(refusal).toBeInstanceOf(CryptoRefusal);
      expect({ ...(refusal as object) }).toEqual({ name: 'CryptoRefusal', kind: 'envelope' });
      expect((refusal as Error).message).toMatch(/^This envelope does not open: .* Ask its sender to seal it again\.$/);
      expect((refusal as Error).cause).toBeUndefined();
      // Both RSA and AES run, whichever of them fails.
      expect(decrypt).toHaveBeenCalledTimes(2);
    } finally {
      decrypt.mockRestore();
    }
  },
);

it.each([
  ['clear text', 'Ada'],
  ['nothing', ''],
  ['bytes that are not UTF-8', forge({ plaintext: Buffer.from([0x41, 0xff]) })],
  ['an unknown version', forge({ change: (members) => ({ ...members, _enc: 2 }) })],
  ['an extra member', forge({ change: (members) => ({ ...members, note: '' }) })],
  ['10 MB of garbage', 'garbage!'.repeat(1_250_000)],
  ['10 MB of base64 in the right place', forge({ change: (members) => ({ ...members, d: 'QUJD'.repeat(2_500_000) }) })],
])('openValue refuses %s with the same error @gap D1-2.3', async (_, wrapper) => {
  await expect(openValue(await key(), wrapper)).rejects.toEqual(new CryptoRefusal('envelope'));
});

it("value wrappers and account envelopes do not open with each other's keys @spec D1-2.3", async () => {
  const account = await importAccountPrivateKey(pkcs8);
  await expect(openValue(await key(), vectors.madeByOpenssl.accountEnvelopes[1]!.text)).rejects.toEqual(new CryptoRefusal('envelope'));
  await expect(openAccountEnvelope(account, await sealValue(await recipient(), 'Ada'))).rejects.toEqual(new CryptoRefusal('envelope'));
});

it('value functions throw for keys that were imported for account envelopes @spec D1-2.3', async () => {
  const account = (await importAccountPrivateKey(pkcs8)) as unknown as ValuePrivateKey;
  const envelope = vectors.madeByOpenssl.accountEnvelopes[1]!.text;
  const { k } = JSON.parse(envelope) as { k: string };

  await expect(openValue(account, envelope)).rejects.toThrow('not imported for OAEP with SHA-256');
  await expect(unwrapKey(account, k)).rejects.toThrow('not imported for OAEP with SHA-256');
  const sealer = (await importAccountPublicKey(public_key)) as unknown as ValuePublicKey;
  await expect(sealValue(sealer, 'Ada')).rejects.toThrow('not imported for OAEP with SHA-256');
});

it('openValue opens a value after several refusals', async () => {
  const opener = await key();
  await Promise.allSettled(Object.values(faults).map((wrapper) => openValue(opener, wrapper)));
  expect(await openValue(opener, await sealValue(await recipient(), 'still here'))).toBe('still here');
});

it('importValuePublicKey refuses a key of another kind @spec D1-2.4', async () => {
  for (const text of ['', ...Object.values(vectors.refused.publicKeys)]) {
    await expect(importValuePublicKey(text)).rejects.toEqual(new CryptoRefusal('public_key'));
  }
});

it('sealValue refuses text that UTF-8 cannot encode', async () => {
  await expect(sealValue(await recipient(), 'half a pair: \ud83d')).rejects.toEqual(new CryptoRefusal('plaintext'));
});

it('importValuePrivateKey refuses another kind of key and a truncated key @spec D1-2.4', async () => {
  await expect(importValuePrivateKey(pkcs8.slice(0, -1))).rejects.toEqual(new CryptoRefusal('private_key'));
  await expect(importValuePrivateKey(new Uint8Array())).rejects.toEqual(new CryptoRefusal('private_key'));
  const damaged = pkcs8.slice().fill(0, 330);
  await expect(importValuePrivateKey(damaged)).rejects.toEqual(new CryptoRefusal('private_key'));
});

it('imported value keys are bound to RSA-OAEP with SHA-256 @spec D1-2.3', async () => {
  const algorithm = { name: 'RSA-OAEP', hash: { name: 'SHA-256' } };
  expect(await recipient()).toMatchObject({ algorithm, extractable: false, usages: ['encrypt'] });
  const imported = await (await key()).run(async (key) => key);
  expect(imported).toMatchObject({ algorithm, extractable: false, usages: ['decrypt'] });
});

it('openValue opens a value with the key of a PEM that OpenSSL wrote @spec D1-2.3', async () => {
  const fromPem = await importValuePrivateKey(await readPrivateKeyPem(vectors.pems['as the portal writes it'], passphrase));
  expect(await openValue(fromPem, await sealValue(await recipient(), 'Ada'))).toBe('Ada');
});
