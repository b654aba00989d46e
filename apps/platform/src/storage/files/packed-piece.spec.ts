import { randomBytes } from 'node:crypto';
import { packPiece, unpackPiece } from './packed-piece.ts';

describe('packed piece of text', () => {
  const packs = (text: string) => {
    const letters = Buffer.from(text);
    const packed = packPiece(letters, Buffer.alloc(letters.length));
    const memory = Buffer.alloc(Math.max(letters.length, packed.bytes.length + 8));
    packed.bytes.copy(memory, 5); // a row of the database has the bytes at an offset
    const unpacked = unpackPiece({ ...packed, bytes: memory.subarray(5, 5 + packed.bytes.length) }, memory);
    return { ...packed, isSame: unpacked.equals(letters) };
  };

  it.each([3, 24_573, 24_576, 24_579, 135 * 1024])('with base64 of %i bytes is stored as those bytes', (length) => {
    const { encoding, bytes, isSame } = packs(randomBytes(length).toString('base64'));

    expect([encoding, bytes.length, isSame]).toEqual(['base64', length, true]);
  });

  it('may start at any position of a base64 text', () => {
    const letters = randomBytes(90_000).toString('base64');

    for (const from of [1, 2, 3]) expect(packs(letters.slice(from, from + 80_000))).toMatchObject({ encoding: 'base64', isSame: true });
  });

  it.each([
    ['is longer than its quads', 'AAAAB'],
    ['is padded', 'AAAAAA=='],
    ['has bits that stand for nothing', 'AAAAAAB='],
    ['has letters of URLs', 'AAA-AAA_'],
    ['has white space', 'AAAA\nAAA'],
    ['is a wrapper', '{"_enc":1}'],
    ['is not ASCII', 'AAAéAAA'],
    ['is not base64 behind its first step', `${'A'.repeat(32 * 1024)}AA"}`],
  ])('that %s is stored as text', (_, text) => {
    expect(packs(text)).toMatchObject({ encoding: 'utf8', isSame: true });
  });

  it('may be empty', () => {
    expect(packs('')).toMatchObject({ bytes: Buffer.alloc(0), isSame: true });
  });
});
