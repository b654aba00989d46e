import { createHash } from 'node:crypto';
import { isAttested, matchesSha256, sha256Hex, verifiedHash } from './digests.ts';
import { CryptoRefusal } from './refusal.ts';

it('digests the bytes served, in lowercase hex @spec D1-2.8 @spec D1-2.12', async () => {
  expect(await sha256Hex(Buffer.from('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(await sha256Hex(new Uint8Array())).toBe(createHash('sha256').digest('hex'));
});

it('compares a digest that came along @spec D1-2.8', async () => {
  const bytes = Buffer.from('%PDF');
  const digest = await sha256Hex(bytes);
  expect(await matchesSha256(bytes, digest)).toBe(true);
  for (const bad of [digest.toUpperCase(), digest.slice(1), '', null, undefined]) expect(await matchesSha256(bytes, bad)).toBe(false);
});

it('hashes salt, then plaintext, both as UTF-8 @spec D1-2.7', async () => {
  expect(await verifiedHash('sält', '1990-01-31')).toBe(createHash('sha256').update('sält1990-01-31').digest('hex'));
});

it('trusts the plaintext that was verified and no other @spec D1-2.7', async () => {
  const attestation = { verified_salt: 'salt', verified_hash: await verifiedHash('salt', 'Ada') };
  expect(await isAttested(attestation, 'Ada')).toBe(true);
  expect(await isAttested(attestation, 'Adam')).toBe(false);
  expect(await isAttested({ ...attestation, verified_salt: 'pepper' }, 'Ada')).toBe(false);
});

it('calls a value that nobody verified not attested @spec D1-2.7', async () => {
  const verified_hash = await verifiedHash('', 'Ada');
  for (const attestation of [{}, { verified_hash }, { verified_hash, verified_salt: null }, { verified_hash: null, verified_salt: '' }]) {
    expect(await isAttested(attestation, 'Ada')).toBe(false);
  }
  expect(await isAttested({ verified_hash, verified_salt: '' }, 'Ada')).toBe(true);
});

it('hashes no text that UTF-8 cannot hold, and attests none @spec D1-2.7', async () => {
  await expect(verifiedHash('salt', '\ud800')).rejects.toEqual(new CryptoRefusal('plaintext'));
  const replaced = { verified_salt: 'salt', verified_hash: await verifiedHash('salt', '\ufffd') };
  expect(await isAttested(replaced, '\ud800')).toBe(false);
  expect(await isAttested({ verified_salt: 'salt' }, '\ud800')).toBe(false);
});
