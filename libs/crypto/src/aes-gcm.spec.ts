import { jest } from '@jest/globals';
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { openGcm, sealGcm } from './aes-gcm.ts';
import { fromHex, toHex, type Bytes } from './bytes.ts';
import { randomBytes } from './random.ts';

const LONG = 200_000; // past the length from which WebCrypto does the work

function openWithNode(key: Bytes, iv: Bytes, data: Bytes): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(data.subarray(-16));
  return Buffer.concat([decipher.update(data.subarray(0, -16)), decipher.final()]);
}

it('openGcm decrypts test case 15 of the GCM paper @spec D1-2.3', async () => {
  const key = fromHex('feffe9928665731c6d6a8f9467308308'.repeat(2));
  const ciphertext =
    '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad';
  const data = fromHex(`${ciphertext}b094dac5d93471bdec1a502270e3cc6c`);

  const plaintext = await openGcm(key, fromHex('cafebabefacedbaddecaf888'), data);

  expect(toHex(plaintext)).toBe(
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255',
  );
});

it.each([0, 1, 65_536, 65_537, LONG])(
  'sealGcm encrypts %d bytes under a fresh 12-byte IV and appends a 16-byte tag @spec D1-2.3',
  async (length) => {
    const key = randomBytes(32);
    const plaintext = new Uint8Array(length).fill(7);

    const { iv, data } = await sealGcm(key, plaintext);
    const again = await sealGcm(key, plaintext);

    expect(iv).toHaveLength(12);
    expect(data).toHaveLength(length + 16);
    expect(openWithNode(key, iv, data).equals(plaintext)).toBe(true);
    expect(Buffer.from(await openGcm(key, iv, data)).equals(plaintext)).toBe(true);
    expect(toHex(again.iv)).not.toBe(toHex(iv));
  },
);

it.each([10, LONG])('openGcm throws when one bit of %d encrypted bytes is flipped', async (length) => {
  const key = randomBytes(32);
  const { iv, data } = await sealGcm(key, new Uint8Array(length));
  for (const at of [0, length, length + 15]) {
    const bad = data.slice();
    bad[at]! ^= 1;
    await expect(openGcm(key, iv, bad)).rejects.toHaveProperty('name');
  }
});

it('openGcm throws on a truncated tag that GCM itself would accept', async () => {
  const key = randomBytes(32);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 4 });
  cipher.final();

  await expect(openGcm(key, iv, new Uint8Array(cipher.getAuthTag()))).rejects.toHaveProperty('name');
});

it('AES-GCM processes short texts synchronously and long ones with WebCrypto', async () => {
  const [encrypt, decrypt] = [jest.spyOn(crypto.subtle, 'encrypt'), jest.spyOn(crypto.subtle, 'decrypt')];
  try {
    const key = randomBytes(32);
    const short = await sealGcm(key, new Uint8Array(65_536));
    await openGcm(key, short.iv, short.data.subarray(0, 65_536)).catch(() => 'a tag cut off');
    expect(encrypt).not.toHaveBeenCalled();
    expect(decrypt).not.toHaveBeenCalled();

    const long = await sealGcm(key, new Uint8Array(65_537));
    await openGcm(key, long.iv, long.data);
    expect(encrypt).toHaveBeenCalledTimes(1);
    expect(decrypt).toHaveBeenCalledTimes(1);
  } finally {
    encrypt.mockRestore();
    decrypt.mockRestore();
  }
});
