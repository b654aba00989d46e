import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { newObjectKey } from './object-keys.ts';
import { clearBytes, newSealingKey, openedRange, openedText, sealed, type Seal } from './sealed-content.ts';

const TEXT = `${'a'.repeat(1000)}\ufeff😀ö${'z'.repeat(1000)}`;

const newSeal = (): Seal => ({ object_key: newObjectKey('eu-store/', 'usr_acme'), sealing_key: newSealingKey() });

async function* chunksOf(bytes: Uint8Array, each: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += each) yield bytes.subarray(at, at + each);
}

const whole = (content: AsyncIterable<Uint8Array>) => buffer(Readable.from(content));

describe('sealed content of an object store', () => {
  const seal = newSeal();
  let bytes: Buffer;
  beforeAll(async () => {
    bytes = await whole((await sealed(seal, () => chunksOf(Buffer.from(TEXT), 7))).read());
  });
  const opened = (given: Uint8Array, by = seal, each = 5) => openedText(by, bytes.length, chunksOf(given, each));

  it('has its length and digest before it is sent, and the same bytes on each read', async () => {
    const content = await sealed(seal, () => chunksOf(Buffer.from(TEXT), 1000));

    expect(content.bytes).toBe(bytes.length);
    expect(content.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(bytes.equals(await whole(content.read()))).toBe(true);
    expect(bytes.includes('aaaaaaaa')).toBe(false);
  });

  it.each([1, 5, 15, 16, 17, 4096])('is decrypted from chunks of %d bytes', async (each) => {
    expect(await opened(bytes, seal, each)).toBe(TEXT);
  });

  it.each([0, 16, 992])('is decrypted in part, starting at byte %d', (from) => {
    const clear = Buffer.from(TEXT);

    expect(openedRange(seal, from, bytes.subarray(from, from + 33)).equals(clear.subarray(from, from + 33))).toBe(true);
    expect(clearBytes(bytes.length)).toBe(clear.length);
  });

  it('may be empty', async () => {
    const { bytes: length, read } = await sealed(seal, () => chunksOf(Buffer.alloc(0), 1));
    expect(await openedText(seal, length, read())).toBe('');
  });

  const corrupt = expect.objectContaining({ name: 'FileStoreFault', kind: 'corrupt' }) as Error;

  it('is refused as corrupt when a byte is changed, added or missing', async () => {
    for (const at of [0, 1000, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      await expect(opened(changed)).rejects.toEqual(corrupt);
    }
    await expect(opened(bytes.subarray(0, -1))).rejects.toEqual(corrupt);
    await expect(opened(Buffer.alloc(0))).rejects.toEqual(corrupt);
    await expect(opened(Buffer.concat([bytes, Buffer.alloc(1)]))).rejects.toEqual(corrupt);
  });

  it('is refused as corrupt with another object key or another sealing key', async () => {
    await expect(opened(bytes, { ...seal, object_key: newSeal().object_key })).rejects.toEqual(corrupt);
    await expect(opened(bytes, { ...seal, sealing_key: newSealingKey() })).rejects.toEqual(corrupt);
  });
});
