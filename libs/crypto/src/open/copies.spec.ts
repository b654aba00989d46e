import { jest } from '@jest/globals';
import { forge, passphrase, pkcs8, public_key, vectors } from '../../test/keys.ts';
import { DerReader, TAG } from '../der.ts';
import { importAccountPublicKey, sealAccountEnvelope } from '../account-envelope.ts';
import { createAccountKey, createServiceKey } from '../service-key.ts';
import { importValuePublicKey, sealValue } from '../value-wrapper.ts';
import { importAccountPrivateKey, openAccountEnvelope } from './account-envelope.ts';
import { provenPrivateKey } from './private-key.ts';
import { readPrivateKeyPem } from './pem.ts';
import { openEncryptedPrivateKey } from './service-key.ts';
import { importValuePrivateKey, openValue } from './value-wrapper.ts';

type Buffers = Uint8Array<ArrayBuffer>[];

interface Seen {
  /** Keys that were handed to WebCrypto as bytes. */
  raw: Buffers;
  /** Private keys that WebCrypto exported. */
  exported: Buffers;
  /** Keys that WebCrypto derived from passphrases, keys that it unwrapped, and random keys. */
  derived: Buffers;
  unwrapped: Buffers;
  random: Buffers;
}

const AES_KEY_BYTES = 32;
const resultsOf = async ({ mock }: { mock: { results: readonly { value: unknown }[] } }): Promise<Buffers> =>
  (await Promise.all(mock.results.map(({ value }) => value as Promise<ArrayBuffer>))).map((buffer) => new Uint8Array(buffer));

/** Returns every key that existed as bytes while the work was done. */
async function bytesSeen(work: () => Promise<unknown>): Promise<Seen> {
  const [imports, exports] = [jest.spyOn(crypto.subtle, 'importKey'), jest.spyOn(crypto.subtle, 'exportKey')];
  const [derives, decrypts] = [jest.spyOn(crypto.subtle, 'deriveBits'), jest.spyOn(crypto.subtle, 'decrypt')];
  const randoms = jest.spyOn(crypto, 'getRandomValues');
  try {
    await work();
    const raw = imports.mock.calls.filter(([format]) => format === 'raw').map(([, bytes]) => bytes as unknown as Uint8Array<ArrayBuffer>);
    const results = await Promise.all(exports.mock.results.map(({ value }) => value as Promise<ArrayBuffer>));
    const exported = results.filter((_, at) => exports.mock.calls[at]![0] === 'pkcs8').map((buffer) => new Uint8Array(buffer));
    const random = randoms.mock.calls.map(([bytes]) => bytes as Uint8Array<ArrayBuffer>).filter(({ length }) => length === AES_KEY_BYTES);
    return { raw, exported, derived: await resultsOf(derives), unwrapped: await resultsOf(decrypts), random };
  } finally {
    for (const spy of [imports, exports, derives, decrypts, randoms]) spy.mockRestore();
  }
}
const isZeroed = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

describe('key material in memory @spec D1-2.4', () => {
  const pem = vectors.pems['with the fewest iterations'];

  it('is zeroed after a PEM was read, both the passphrase and the derived key', async () => {
    const { raw } = await bytesSeen(() => readPrivateKeyPem(pem, passphrase));

    expect(raw).toHaveLength(2); // the passphrase, and the AES key that is derived from it
    expect(raw.filter((bytes) => !isZeroed(bytes))).toEqual([]);
  });

  it('is not zeroed when it is a passphrase that the caller gave as bytes', async () => {
    const bytes = new TextEncoder().encode(passphrase);

    expect(await readPrivateKeyPem(pem, bytes)).toEqual(pkcs8);
    expect(Buffer.from(bytes).toString()).toBe(passphrase);
    await expect(readPrivateKeyPem(pem, new Uint8Array())).rejects.toMatchObject({ kind: 'private_key' });
  });

  it('is zeroed by the functions that create or open keys', async () => {
    const generates = jest.spyOn(crypto.subtle, 'generateKey');
    const { raw, exported, derived } = await bytesSeen(async () => {
      const { encrypted_private_key, passphrase: made } = await createServiceKey();
      generates.mockReturnValueOnce(generates.mock.results[0]!.value as never); // one search for primes is enough
      await createAccountKey(passphrase);
      (await openEncryptedPrivateKey(encrypted_private_key, made)).fill(0);
    });
    generates.mockRestore();

    expect([exported.length, derived.length]).toEqual([2, 4]);
    expect([...raw, ...exported, ...derived].filter((bytes) => !isZeroed(bytes))).toEqual([]);
  });

  it('is zeroed when it is not a valid private key', async () => {
    const broken = pkcs8.slice();
    broken[60]! ^= 1; // a byte of the modulus

    await expect(provenPrivateKey(broken)).rejects.toBeDefined();
    expect(isZeroed(broken)).toBe(true);
  });

  it('is parsed in place without a copy', () => {
    const key = pkcs8.slice();
    const inside = new DerReader(key).take(TAG.sequence);

    key.fill(0);

    expect(isZeroed(inside)).toBe(true);
  });
});

it('opening and sealing zero the AES keys of values and envelopes', async () => {
  const [value, account] = await Promise.all([importValuePrivateKey(pkcs8), importAccountPrivateKey(pkcs8)]);
  const [recipient, company] = await Promise.all([importValuePublicKey(public_key), importAccountPublicKey(public_key)]);
  const { unwrapped, random } = await bytesSeen(async () => {
    await openValue(value, await sealValue(recipient, 'x'));
    await openAccountEnvelope(account, await sealAccountEnvelope(company, 'x'));
  });

  expect([unwrapped.length, random.length]).toEqual([2, 2]);
  expect([...unwrapped, ...random].filter((bytes) => !isZeroed(bytes))).toEqual([]);
});

it('openValue zeroes its buffer of the plaintext', async () => {
  const node = process.getBuiltinModule('node:crypto');
  const real = node.createDecipheriv;
  const opened: Uint8Array[] = [];
  const spy = jest.spyOn(node, 'createDecipheriv').mockImplementation(((...given: Parameters<typeof real>) => {
    const decipher = real(...given);
    const update = decipher.update.bind(decipher) as (data: Uint8Array) => Buffer;
    decipher.update = ((data: Uint8Array) => (opened.push(update(data)), opened.at(-1))) as never;
    return decipher;
  }) as never);
  try {
    await openValue(await importValuePrivateKey(pkcs8), forge({ plaintext: 'of a person' }));
  } finally {
    spy.mockRestore();
  }

  expect(opened).toHaveLength(1);
  expect(opened.every(isZeroed)).toBe(true);
});

it('openValue zeroes the AES key of a long value', async () => {
  const key = await importValuePrivateKey(pkcs8);
  const { raw } = await bytesSeen(() => openValue(key, forge({ plaintext: 'x'.repeat(100_000) })));

  expect(raw).toHaveLength(1);
  expect(raw.every(isZeroed)).toBe(true);
});
