import { generateKeyPairSync } from 'node:crypto';
import { pkcs8, public_key } from '../../test/keys.ts';
import { toHex, type Bytes } from '../bytes.ts';
import { der, TAG } from '../der.ts';
import { CryptoRefusal, Malformed } from '../refusal.ts';
import { checkedPrivateKey, provenPrivateKey, publicKeyOf } from './private-key.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const ALGORITHM = hex('300d06092a864886f70d0101010500');
const [ZERO, ONE, THREE, F4] = ['020100', '020101', '020103', '0203010001'].map(hex) as [Bytes, Bytes, Bytes, Bytes];
const nothing = new Uint8Array();

interface Parts {
  version?: Bytes;
  algorithm?: Bytes;
  keyVersion?: Bytes;
  modulus?: Bytes;
  exponent?: Bytes;
  afterKey?: Bytes;
  after?: Bytes;
}

/** The beginning of a private key, up to the exponent: as much as is checked before the key is imported. */
function keyOf(parts: Parts): Bytes {
  const modulus = der(TAG.integer, parts.modulus ?? new Uint8Array(257).fill(0xff, 1));
  const rsaKey = der(TAG.sequence, parts.keyVersion ?? ZERO, modulus, parts.exponent ?? F4);
  const octets = der(TAG.octets, rsaKey, parts.afterKey ?? nothing);
  return der(TAG.sequence, parts.version ?? ZERO, parts.algorithm ?? ALGORITHM, octets, parts.after ?? nothing);
}

it('checkedPrivateKey accepts a whole key and one assembled from its parts @spec D1-2.4', () => {
  expect(checkedPrivateKey(pkcs8)).toBe(pkcs8);
  expect(toHex(checkedPrivateKey(keyOf({})))).toBe(toHex(keyOf({})));
  const smallest = keyOf({ modulus: new Uint8Array([0, 0x80, ...new Uint8Array(255)]) });
  expect(checkedPrivateKey(smallest)).toBe(smallest);
});

it.each<[string, Parts]>([
  ['another version', { version: ONE }],
  ['another algorithm', { algorithm: hex('300d06092a864886f70d01010a0500') }],
  ['no parameters', { algorithm: hex('300b06092a864886f70d010101') }],
  ['a key of several primes', { keyVersion: ONE }],
  ['a modulus of 2047 bits', { modulus: new Uint8Array([0, 0x7f, ...new Uint8Array(255)]) }],
  ['a modulus of 2056 bits', { modulus: new Uint8Array([1, 0xff, ...new Uint8Array(255)]) }],
  ['a modulus of 1024 bits', { modulus: new Uint8Array(129).fill(0xff, 1) }],
  ['exponent 3', { exponent: THREE }],
  ['attributes', { after: hex('a000') }],
  ['bytes after the key', { afterKey: hex('00') }],
])('checkedPrivateKey refuses %s @gap D1-2.4', (_, parts) => {
  expect(() => checkedPrivateKey(keyOf(parts))).toThrow(Malformed);
});

it('checkedPrivateKey refuses trailing bytes and a key over the maximum length @gap D1-2.4', () => {
  expect(() => checkedPrivateKey(new Uint8Array([...pkcs8, 0]))).toThrow(Malformed);
  const long = (length: number) => keyOf({ exponent: new Uint8Array([...F4, ...der(TAG.octets, new Uint8Array(length - 303))]) });
  expect(checkedPrivateKey(long(4096))).toHaveLength(4096);
  expect(() => checkedPrivateKey(long(4097))).toThrow(Malformed);
});

it('checkedPrivateKey refuses an elliptic curve key', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  expect(() => checkedPrivateKey(new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' })))).toThrow(Malformed);
});

it('publicKeyOf returns the public key of a private key @spec D1-2.4', async () => {
  expect(await publicKeyOf(pkcs8)).toBe(public_key);
  await expect(publicKeyOf(pkcs8.slice(1))).rejects.toEqual(new CryptoRefusal('private_key'));
});

it('provenPrivateKey verifies a key by using it @gap D1-2.3', async () => {
  expect(await provenPrivateKey(pkcs8)).toBe(pkcs8);

  // Another modulus before the same private numbers: the form is right, but the key does not work.
  const damaged = pkcs8.slice();
  damaged[100]! ^= 1;
  expect(checkedPrivateKey(damaged)).toBe(damaged);
  await expect(provenPrivateKey(damaged)).rejects.toHaveProperty('name');
});
