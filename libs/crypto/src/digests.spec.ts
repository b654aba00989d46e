import { createHash } from 'node:crypto';
import { isAttested, matchesSha256, sha256Hex, verifiedHash } from './digests.ts';
import { CryptoRefusal } from './refusal.ts';

it('sha256Hex returns the digest of the bytes in lowercase hex @spec D1-2.8 @spec D1-2.12', async () => {
  expect(await sha256Hex(Buffer.from('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(await sha256Hex(new Uint8Array())).toBe(createHash('sha256').digest('hex'));
});

it('matchesSha256 accepts only the exact lowercase digest @spec D1-2.8', async () => {
  const bytes = Buffer.from('%PDF');
  const digest = await sha256Hex(bytes);
  expect(await matchesSha256(bytes, digest)).toBe(true);
  for (const bad of [digest.toUpperCase(), digest.slice(1), '', null, undefined]) expect(await matchesSha256(bytes, bad)).toBe(false);
});

it('verifiedHash hashes the salt, then the plaintext, both as UTF-8 @spec D1-2.7', async () => {
  expect(await verifiedHash('sält', '1990-01-31')).toBe(createHash('sha256').update('sält1990-01-31').digest('hex'));
});

it('isAttested accepts only the plaintext that was verified @spec D1-2.7', async () => {
  const attestation = { verified_salt: 'salt', verified_hash: await verifiedHash('salt', 'Ada') };
  expect(await isAttested(attestation, 'Ada')).toBe(true);
  expect(await isAttested(attestation, 'Adam')).toBe(false);
  expect(await isAttested({ ...attestation, verified_salt: 'pepper' }, 'Ada')).toBe(false);
});

it('isAttested rejects a value without verified_hash or verified_salt @spec D1-2.7', async () => {
  const verified_hash = await verifiedHash('', 'Ada');
  for (const attestation of [{}, { verified_hash }, { verified_hash, verified_salt: null }, { verified_hash: null, verified_salt: '' }]) {
    expect(await isAttested(attestation, 'Ada')).toBe(false);
  }
  expect(await isAttested({ verified_hash, verified_salt: '' }, 'Ada')).toBe(true);
});

it('text that UTF-8 cannot encode is neither hashed nor attested @spec D1-2.7', async () => {
  await expect(verifiedHash('salt', '\ud800')).rejects.toEqual(new CryptoRefusal('plaintext'));
  const replaced = { verified_salt: 'salt', verified_hash: await verifiedHash('salt', '\ufffd') };
  expect(await isAttested(replaced, '\ud800')).toBe(false);
  expect(await isAttested({ verified_salt: 'salt' }, '\ud800')).toBe(false);
});
