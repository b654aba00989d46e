import { createPublicKey } from 'node:crypto';
import { public_key, vectors } from '../test/keys.ts';
import { publicKeySha256, readPublicKey } from './spki.ts';

const refusal = expect.objectContaining({ name: 'CryptoRefusal', kind: 'public_key' });
const der = Buffer.from(public_key, 'base64');

/** The same key with the bytes at `at` replaced. */
function changed(at: number, ...bytes: number[]): string {
  const copy = Buffer.from(der);
  copy.set(bytes, at < 0 ? copy.length + at : at);
  return copy.toString('base64');
}

it('readPublicKey reads the SubjectPublicKeyInfo of an RSA-2048 key @spec D1-2.4', async () => {
  expect(Buffer.from(await readPublicKey(public_key)).equals(der)).toBe(true);
});

it('readPublicKey accepts any odd modulus of 2048 bits @gap D1-2.4', async () => {
  expect(await readPublicKey(changed(33, 0x80))).toHaveLength(294);
});

it("publicKeySha256 returns the SHA-256 of the key's DER, as OpenSSL does @spec D2-4.1", async () => {
  expect(await publicKeySha256(public_key)).toBe(vectors.key.public_key_sha256);
});

it.each(Object.entries(vectors.refused.publicKeys))('readPublicKey refuses a key of another kind: %s @spec D1-2.4', async (_, otherKey) => {
  await expect(readPublicKey(otherKey)).rejects.toEqual(refusal);
  await expect(publicKeySha256(otherKey)).rejects.toEqual(refusal);
});

it.each([
  ['PKCS#1', createPublicKey({ key: der, format: 'der', type: 'spki' }).export({ format: 'der', type: 'pkcs1' }).toString('base64')],
  ['PEM', createPublicKey({ key: der, format: 'der', type: 'spki' }).export({ format: 'pem', type: 'spki' }).toString()],
  ['the URL alphabet', public_key.replaceAll('+', '-').replaceAll('/', '_')],
  ['bytes after it', Buffer.concat([der, Buffer.alloc(3)]).toString('base64')],
  ['its end cut off', der.subarray(0, -3).toString('base64')],
  ['a length in BER of indefinite form', changed(0, 0x30, 0x80)],
  ['another algorithm', changed(18, 0x02)],
  ['unused bits', changed(23, 0x01)],
  ['a modulus of 2047 bits', changed(33, 0x7f)],
  ['an even modulus', changed(-6, 0x02)],
  ['another exponent', changed(-1, 0x03)],
  ['nothing', ''],
  ['10 MB of base64', 'A'.repeat(10_000_000)],
])('readPublicKey refuses %s @gap D1-2.4', async (_, text) => {
  await expect(readPublicKey(text)).rejects.toEqual(refusal);
});
