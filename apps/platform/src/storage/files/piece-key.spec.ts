import { decryptPiece, decryptTextPiece, encryptPiece, newPieceKey } from './piece-key.ts';

const [K, IV, D] = [256, 12, 6000].map((length) => Buffer.alloc(length, 'sealed ').toString('base64'));
const key = Buffer.alloc(32, 1);

describe('storage key of a payload', () => {
  it('is created only for a payload that does not begin as a wrapper', () => {
    const clear = [
      `data:application/pdf;base64,${D}`,
      D!,
      `{"photo":"${D}`,
      `{"_enc":1,"d":"${D}`,
      `{"_enc":1,"k":"short","iv":"${IV}","d":"${D}`,
      '',
    ];

    expect(newPieceKey(Buffer.from(`{"_enc":1,"k":"${K}","iv":"${IV}","d":"${D}`))).toBeNull();
    for (const head of clear) expect(newPieceKey(Buffer.from(head))).toHaveLength(32);
  });

  it('encrypts equal pieces differently, and decrypts each to its text', () => {
    const text = 'größer 😀 '.repeat(5000);
    const pieces = [1, 2].map((position) => encryptPiece(key, position, Buffer.from(text)));

    expect(pieces[0]!.equals(pieces[1]!)).toBe(false);
    expect(decryptPiece(key, 2, Buffer.from(pieces[0]!)).toString()).not.toBe(text);
    const asText = pieces.map((piece) => Buffer.from(piece.toString('base64'))); // as earlier releases stored them
    expect(pieces.map((piece, nth) => decryptPiece(key, nth + 1, piece).toString())).toEqual([text, text]);
    expect(asText.map((piece, nth) => decryptTextPiece(key, nth + 1, piece).toString())).toEqual([text, text]);
  });
});
