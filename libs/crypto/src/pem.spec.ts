import { jest } from '@jest/globals';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { flipBit, passphrase, pkcs8, public_key, vectors } from '../test/keys.ts';
import { toHex } from './bytes.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { der, derInteger, TAG } from './der.ts';
import { readPrivateKeyPem } from './open/pem.ts';
import { deriveKey } from './pbkdf2.ts';
import { OID, writePrivateKeyPem } from './pem.ts';
import { CryptoRefusal } from './refusal.ts';

const refusal = new CryptoRefusal('private_key');
const FAST = vectors.pems['with the fewest iterations'];

/** A PEM around any base64 text, which is not cut into lines. */
const armored = (base64: string) => `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${base64}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
const bodyOf = (pem: string) => pem.split('\n').slice(1, -2).join('');

it('writePrivateKeyPem writes lines of 64 characters and 100,000 iterations that Node can open @spec D1-2.3 @gap D1-2.3', async () => {
  const pem = await writePrivateKeyPem(pkcs8, 'åäö');

  const key = createPrivateKey({ key: pem, format: 'pem', passphrase: 'åäö' });
  expect(createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')).toBe(public_key);
  expect(
    pem
      .split('\n')
      .slice(1, -3)
      .every((line) => line.length === 64),
  ).toBe(true);
  expect(pem).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n[^-]+\n-----END ENCRYPTED PRIVATE KEY-----\n$/);
  expect(toHex(decodeBase64(bodyOf(pem)))).toContain(toHex(derInteger(100_000)));
});

it('writePrivateKeyPem uses a fresh salt, and readPrivateKeyPem returns the same key @spec D1-2.3', async () => {
  const [one, two] = await Promise.all([writePrivateKeyPem(pkcs8, passphrase), writePrivateKeyPem(pkcs8, passphrase)]);
  expect(toHex(await readPrivateKeyPem(one, passphrase))).toBe(toHex(pkcs8));
  expect(one).not.toBe(two);
});

it('PEM functions refuse a passphrase that is empty, too long or not encodable', async () => {
  for (const bad of ['', '\ud800', 'x'.repeat(16_385)]) {
    await expect(writePrivateKeyPem(pkcs8, bad)).rejects.toEqual(new CryptoRefusal('secret'));
    await expect(readPrivateKeyPem(FAST, bad)).rejects.toEqual(refusal);
  }
});

it('readPrivateKeyPem accepts Windows line ends, surrounding blank lines and a single line', async () => {
  for (const pem of [FAST.replaceAll('\n', '\r\n'), `\n${FAST}\n\n`, armored(bodyOf(FAST)), FAST.trimEnd()]) {
    expect(toHex(await readPrivateKeyPem(pem, passphrase))).toBe(toHex(pkcs8));
  }
});

it('readPrivateKeyPem refuses a PEM over 8192 characters @gap D1-2.3', async () => {
  expect(toHex(await readPrivateKeyPem(FAST.padEnd(8192), passphrase))).toBe(toHex(pkcs8));
  await expect(readPrivateKeyPem(FAST.padEnd(8193), passphrase)).rejects.toEqual(refusal);
});

it.each(Object.entries(vectors.refused.pems))(
  'readPrivateKeyPem refuses other keys and encryption schemes: %s @spec D1-2.3 @gap D1-2.3',
  async (_, pem) => {
    await expect(readPrivateKeyPem(pem, passphrase)).rejects.toEqual(refusal);
  },
);

it.each([
  ['nothing', ''],
  ['no armor', bodyOf(FAST)],
  ['another label', FAST.replaceAll('ENCRYPTED PRIVATE', 'PRIVATE')],
  ['only the end', FAST.slice(FAST.indexOf('\n') + 1)],
  ['only the beginning', FAST.slice(0, FAST.indexOf('-----END'))],
  ['two keys', FAST + FAST],
  ['white space in a line', FAST.replace('MII', 'MI I')],
  ['a cut', armored(bodyOf(FAST).slice(0, -4))],
  ['bytes after the DER', armored(Buffer.concat([Buffer.from(bodyOf(FAST), 'base64'), Buffer.alloc(1)]).toString('base64'))],
  ['10 MB of base64', armored('A'.repeat(10_000_000))],
  ['a damaged last block', armored(flipBit(bodyOf(FAST), 8 * Buffer.from(bodyOf(FAST), 'base64').length - 20))],
])('readPrivateKeyPem refuses a PEM with %s @gap D1-2.3', async (_, pem) => {
  await expect(readPrivateKeyPem(pem, passphrase)).rejects.toEqual(refusal);
});

it('readPrivateKeyPem refuses a wrong passphrase with the same error as a wrong PEM @gap D1-2.3', async () => {
  await expect(readPrivateKeyPem(FAST, `${passphrase} `)).rejects.toEqual(refusal);
});

describe('a PEM rebuilt from its DER parts', () => {
  // The encrypted key of FAST with its parameters written again, each time wrong in one way.
  const hex = Buffer.from(bodyOf(FAST), 'base64').toString('hex');
  const part = (pattern: RegExp) => new Uint8Array(Buffer.from(pattern.exec(hex)![1]!, 'hex'));
  const salt = part(/0408([0-9a-f]{16})020203e8/);
  const iv = part(/0410([0-9a-f]{32})0482/);
  const data = part(/0410[0-9a-f]{32}0482[0-9a-f]{4}([0-9a-f]+)$/);
  const NULL = new Uint8Array([5, 0]);

  interface Parts {
    scheme?: Uint8Array;
    kdf?: Uint8Array;
    salt?: Uint8Array;
    iterations?: Uint8Array;
    keyLength?: Uint8Array;
    prf?: Uint8Array;
    prfParameters?: Uint8Array;
    cipher?: Uint8Array;
    iv?: Uint8Array;
    after?: Partial<Record<'kdf' | 'kdfParameters' | 'prf' | 'cipher' | 'parameters' | 'scheme' | 'info', Uint8Array>>;
  }
  const nothing = new Uint8Array();

  function pemOf(parts: Parts): string {
    const { after = {} } = parts;
    const prf = der(TAG.sequence, der(TAG.oid, parts.prf ?? OID.hmacWithSha256), parts.prfParameters ?? NULL, after.prf ?? nothing);
    const kdfParameters = [der(TAG.octets, parts.salt ?? salt), parts.iterations ?? derInteger(1000), parts.keyLength ?? nothing, prf];
    const kdfSequence = der(TAG.sequence, ...kdfParameters, after.kdfParameters ?? nothing);
    const kdf = der(TAG.sequence, der(TAG.oid, parts.kdf ?? OID.pbkdf2), kdfSequence, after.kdf ?? nothing);
    const cipher = der(TAG.sequence, der(TAG.oid, parts.cipher ?? OID.aes256Cbc), der(TAG.octets, parts.iv ?? iv), after.cipher ?? nothing);
    const parameters = der(TAG.sequence, kdf, cipher, after.parameters ?? nothing);
    const scheme = der(TAG.sequence, der(TAG.oid, parts.scheme ?? OID.pbes2), parameters, after.scheme ?? nothing);
    return armored(encodeBase64(der(TAG.sequence, scheme, der(TAG.octets, data), after.info ?? nothing)));
  }

  it('is refused before decryption when its IV has the wrong length', async () => {
    const decrypt = jest.spyOn(crypto.subtle, 'decrypt');
    try {
      await expect(readPrivateKeyPem(pemOf({ iv: iv.slice(1) }), passphrase)).rejects.toEqual(refusal);
      expect(decrypt).not.toHaveBeenCalled();
    } finally {
      decrypt.mockRestore();
    }
  });

  it('opens with or without an explicit key length @spec D1-2.3', async () => {
    expect(toHex(await readPrivateKeyPem(pemOf({}), passphrase))).toBe(toHex(pkcs8));
    expect(toHex(await readPrivateKeyPem(pemOf({ keyLength: derInteger(32) }), passphrase))).toBe(toHex(pkcs8));
  });

  it.each<[string, Parts]>([
    ['another scheme', { scheme: Buffer.from('2a864886f70d01050c', 'hex') }],
    ['another key derivation', { kdf: Buffer.from('2a864886f70d01050d', 'hex') }],
    ['another function', { prf: Buffer.from('2a864886f70d0207', 'hex') }],
    ['a function with parameters', { prfParameters: new Uint8Array([5, 1, 0]) }],
    ['a function without NULL', { prfParameters: new Uint8Array() }],
    ['another cipher', { cipher: Buffer.from('60864801650304012c', 'hex') }],
    ['a key of 16 bytes', { keyLength: new Uint8Array([2, 1, 16]) }],
    ['an IV of 15 bytes', { iv: iv.slice(1) }],
    ['an IV of 17 bytes', { iv: new Uint8Array(17) }],
    ['something after the function', { after: { prf: NULL } }],
    ['something after the derivation', { after: { kdf: NULL } }],
    ['something after its parameters', { after: { kdfParameters: NULL } }],
    ['something after the IV', { after: { cipher: NULL } }],
    ['something after the parameters', { after: { parameters: NULL } }],
    ['something after the scheme', { after: { scheme: NULL } }],
    ['something after the key', { after: { info: NULL } }],
  ])('is refused with %s @gap D1-2.3', async (_, parts) => {
    await expect(readPrivateKeyPem(pemOf(parts), passphrase)).rejects.toEqual(refusal);
  });

  it.each([
    ['no iteration', '020100'],
    ['999 iterations', '020203e7'],
    ['10,000,001 iterations', '020400989681'],
    ['two thousand million iterations', '02047fffffff'],
    ['more than four octets of iterations', '02050101010101'],
    ['a negative number of iterations', '0201ff'],
    ['iterations with a leading zero', '02030003e8'],
  ])('is refused before key derivation with %s @gap D1-2.3', async (_, integer) => {
    const iterations = new Uint8Array(Buffer.from(integer, 'hex'));
    const derive = jest.spyOn(crypto.subtle, 'deriveBits');
    try {
      await expect(readPrivateKeyPem(pemOf({ iterations }), passphrase)).rejects.toEqual(refusal);
      expect(derive).not.toHaveBeenCalled();
    } finally {
      derive.mockRestore();
    }
  });

  /** A PEM that is right in everything but, perhaps, the length of its salt. */
  async function salted(length: number): Promise<string> {
    const longSalt = new Uint8Array(length);
    const key = await crypto.subtle.importKey('raw', await deriveKey(passphrase, longSalt, 1000), 'AES-CBC', false, ['encrypt']);
    const encrypted = Buffer.from(await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, key, pkcs8));
    const before = Buffer.from(bodyOf(pemOf({ salt: longSalt })), 'base64').subarray(0, -encrypted.length);
    return armored(Buffer.concat([before, encrypted]).toString('base64'));
  }

  it.each([8, 64])('is accepted with a salt of %d bytes @gap D1-2.3', async (length) => {
    expect(toHex(await readPrivateKeyPem(await salted(length), passphrase))).toBe(toHex(pkcs8));
  });

  it.each([7, 65])('is refused with a salt of %d bytes @gap D1-2.3', async (length) => {
    await expect(readPrivateKeyPem(await salted(length), passphrase)).rejects.toEqual(refusal);
  });
});
