import { jest } from '@jest/globals';
import { other, passphrase, pkcs8, public_key } from '../test/keys.ts';
import { sealGcm } from './aes-gcm.ts';
import { encodeBase64 } from './base64.ts';
import { toHex, type Bytes } from './bytes.ts';
import { importValuePrivateKey, openValue } from './open/value-wrapper.ts';
import { readPrivateKeyPem } from './open/pem.ts';
import { openEncryptedPrivateKey } from './open/service-key.ts';
import { deriveKey } from './pbkdf2.ts';
import { randomBytes } from './random.ts';
import { CryptoRefusal } from './refusal.ts';
import { createAccountKey, createServiceKey, type EncryptedPrivateKey } from './service-key.ts';
import { importValuePublicKey, sealValue } from './value-wrapper.ts';

const refusal = new CryptoRefusal('private_key');

/** An encrypted_private_key around any bytes. */
async function encrypted(bytes: Bytes, { saltLength = 16, iter = 100_000 } = {}): Promise<EncryptedPrivateKey> {
  const salt = randomBytes(saltLength);
  const { iv, data } = await sealGcm(await deriveKey(passphrase, salt, iter), bytes);
  return { iter, salt: encodeBase64(salt), iv: encodeBase64(iv), data: encodeBase64(data) };
}

it('createServiceKey uses the key size, iterations, salt and IV of the specification @spec D1-2.4', async () => {
  const service = await createServiceKey();
  const { encrypted_private_key, passphrase: shown } = service;

  expect(Object.keys(service)).toEqual(['public_key', 'encrypted_private_key', 'passphrase', 'pem']);
  expect(encrypted_private_key.iter).toBe(100_000);
  expect(Buffer.from(encrypted_private_key.salt, 'base64')).toHaveLength(16);
  expect(Buffer.from(encrypted_private_key.iv, 'base64')).toHaveLength(12);
  expect(Buffer.from(shown, 'base64')).toHaveLength(32);
  expect(await importValuePublicKey(service.public_key)).toMatchObject({ algorithm: { modulusLength: 2048, hash: { name: 'SHA-256' } } });
});

it('both forms of a service key open with the passphrase that createServiceKey returns @spec D1-2.3 @spec D1-2.4', async () => {
  const service = await createServiceKey();
  const wrapper = await sealValue(await importValuePublicKey(service.public_key), 'Ada');

  const fromMember = await openEncryptedPrivateKey(service.encrypted_private_key, service.passphrase);
  const fromPem = await readPrivateKeyPem(service.pem, service.passphrase);

  expect(toHex(fromMember)).toBe(toHex(fromPem));
  expect(await openValue(await importValuePrivateKey(fromMember), wrapper)).toBe('Ada');
});

it('createAccountKey encrypts the key with the passphrase of its owner @gap D1-2.4', async () => {
  const account = await createAccountKey('my own words');

  const key = await importValuePrivateKey(await openEncryptedPrivateKey(account.encrypted_private_key, 'my own words'));

  expect(Object.keys(account)).toEqual(['public_key', 'encrypted_private_key']);
  expect(await openValue(key, await sealValue(await importValuePublicKey(account.public_key), 'Ada'))).toBe('Ada');
});

it('createAccountKey refuses an invalid passphrase before it generates a key @gap D1-2.4', async () => {
  const generate = jest.spyOn(crypto.subtle, 'generateKey');
  try {
    for (const bad of ['', '\ud800']) await expect(createAccountKey(bad)).rejects.toEqual(new CryptoRefusal('secret'));
    expect(generate).not.toHaveBeenCalled();
  } finally {
    generate.mockRestore();
  }
});

it('openEncryptedPrivateKey accepts only the PKCS#8 DER of a private key @gap D1-2.4', async () => {
  expect(toHex(await openEncryptedPrivateKey(await encrypted(pkcs8), passphrase))).toBe(toHex(pkcs8));
  for (const bytes of [pkcs8.slice(0, -1), new Uint8Array(Buffer.from(public_key, 'base64')), new Uint8Array()]) {
    await expect(openEncryptedPrivateKey(await encrypted(bytes), passphrase)).rejects.toEqual(refusal);
  }
});

it.each<[string, (key: EncryptedPrivateKey) => unknown]>([
  ['fewer iterations', (key) => ({ ...key, iter: 99_999 })],
  ['more iterations', (key) => ({ ...key, iter: 4_000_000_000 })],
  ['iterations as text', (key) => ({ ...key, iter: '100000' })],
  ['an extra member', (key) => ({ ...key, note: '' })],
  ['no salt', ({ iter, iv, data }) => ({ iter, iv, data, pepper: '' })],
  ['a salt of 15 bytes', (key) => ({ ...key, salt: Buffer.alloc(15).toString('base64') })],
  ['an IV of 13 bytes', (key) => ({ ...key, iv: Buffer.alloc(13).toString('base64') })],
  ['another IV', (key) => ({ ...key, iv: Buffer.alloc(12).toString('base64') })],
  ['data shorter than a tag', (key) => ({ ...key, data: 'AAAA' })],
  ['10 MB of data', (key) => ({ ...key, data: 'AAAA'.repeat(2_500_000) })],
  ['base64 without padding', (key) => ({ ...key, salt: key.salt.replaceAll('=', '') })],
  ['nothing', () => undefined],
  ['null', () => null],
  ['text', () => 'encrypted'],
])('openEncryptedPrivateKey refuses %s @gap D1-2.4', async (_, change) => {
  const bad = change(other.encrypted_private_key) as EncryptedPrivateKey;
  await expect(openEncryptedPrivateKey(bad, other.passphrase)).rejects.toEqual(refusal);
});

it('openEncryptedPrivateKey refuses another iteration count or salt length even with the right passphrase @gap D1-2.4', async () => {
  await expect(openEncryptedPrivateKey(await encrypted(pkcs8, { iter: 1000 }), passphrase)).rejects.toEqual(refusal);
  await expect(openEncryptedPrivateKey(await encrypted(pkcs8, { saltLength: 17 }), passphrase)).rejects.toEqual(refusal);
});

it('openEncryptedPrivateKey refuses a wrong passphrase with the same error as a wrong key @gap D1-2.4', async () => {
  for (const bad of ['', 'guess', `${other.passphrase}=`]) {
    await expect(openEncryptedPrivateKey(other.encrypted_private_key, bad)).rejects.toEqual(refusal);
  }
});
