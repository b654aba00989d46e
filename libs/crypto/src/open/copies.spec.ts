import { jest } from '@jest/globals';
import { forge, passphrase, pkcs8, vectors } from '../../test/keys.ts';
import { DerReader, TAG } from '../der.ts';
import { createServiceKey } from '../service-key.ts';
import { readPrivateKeyPem } from './pem.ts';
import { openEncryptedPrivateKey } from './service-key.ts';
import { importValuePrivateKey, openValue } from './value-wrapper.ts';

type Buffers = Uint8Array<ArrayBuffer>[];

/** Every key that was handed to WebCrypto as bytes, and every private key that came out of it, while the work was done. */
async function bytesSeen(work: () => Promise<unknown>): Promise<{ raw: Buffers; exported: Buffers }> {
  const [imports, exports] = [jest.spyOn(crypto.subtle, 'importKey'), jest.spyOn(crypto.subtle, 'exportKey')];
  try {
    await work();
    const raw = imports.mock.calls.filter(([format]) => format === 'raw').map(([, bytes]) => bytes as unknown as Uint8Array<ArrayBuffer>);
    const results = await Promise.all(exports.mock.results.map(({ value }) => value as Promise<ArrayBuffer>));
    const exported = results.filter((_, at) => exports.mock.calls[at]![0] === 'pkcs8').map((buffer) => new Uint8Array(buffer));
    return { raw, exported };
  } finally {
    for (const spy of [imports, exports]) spy.mockRestore();
  }
}
const isZeroed = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

describe('the bytes of a private key @spec D1-2.4', () => {
  const pem = vectors.pems['with the fewest iterations'];

  it('leave no key behind that opened its file', async () => {
    const { raw } = await bytesSeen(() => readPrivateKeyPem(pem, passphrase));

    expect(raw).toHaveLength(2); // the passphrase, and the AES key that it stands for
    expect(raw.filter((bytes) => !isZeroed(bytes))).toEqual([]);
  });

  it('are read by a passphrase in bytes, which its owner zeroes', async () => {
    const bytes = new TextEncoder().encode(passphrase);

    expect(await readPrivateKeyPem(pem, bytes)).toEqual(pkcs8);
    expect(Buffer.from(bytes).toString()).toBe(passphrase);
    await expect(readPrivateKeyPem(pem, new Uint8Array())).rejects.toMatchObject({ kind: 'private_key' });
  });

  it('are zeroed by the one who made them', async () => {
    const { raw, exported } = await bytesSeen(async () => {
      const { encrypted_private_key, passphrase: made } = await createServiceKey();
      (await openEncryptedPrivateKey(encrypted_private_key, made)).fill(0);
    });

    expect(exported).toHaveLength(1);
    expect([...raw, ...exported].filter((bytes) => !isZeroed(bytes))).toEqual([]);
  });

  it('are looked at where they lie', () => {
    const key = pkcs8.slice();
    const inside = new DerReader(key).take(TAG.sequence);

    key.fill(0);

    expect(isZeroed(inside)).toBe(true);
  });
});

it('leaves no key of a value behind', async () => {
  const key = await importValuePrivateKey(pkcs8);
  const { raw } = await bytesSeen(() => openValue(key, forge({ plaintext: 'x'.repeat(100_000) })));

  expect(raw).toHaveLength(1);
  expect(raw.every(isZeroed)).toBe(true);
});
