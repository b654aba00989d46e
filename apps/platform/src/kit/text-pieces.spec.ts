import { inPieces, PIECE_BYTES, piecesOf } from './text-pieces.ts';

async function* cut(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

it.each([7, 1000, 500_000])('text is split into pieces without splitting a character, from chunks of %i', async (size) => {
  const text = Buffer.from(`${'a'.repeat(PIECE_BYTES - 2)}😀${'é'.repeat(PIECE_BYTES)}`);

  const pieces: Buffer[] = [];
  for await (const piece of inPieces(cut(text, size))) pieces.push(Buffer.from(piece));

  expect(pieces.map(({ length }) => length)).toEqual([PIECE_BYTES - 2, PIECE_BYTES, PIECE_BYTES, 4]);
  expect(pieces.map(String).join('')).toBe(text.toString());
});

describe('a text that is sent in pieces', () => {
  it('is the pieces joined', () => {
    const text = 'abc'.repeat(150_000);
    expect(piecesOf(text).length).toBe(3);
    expect(piecesOf(text).join('')).toBe(text);
  });

  it('is never split within a character', () => {
    const text = `x${'😀'.repeat(150_000)}`;
    expect(piecesOf(text).every((piece) => piece.isWellFormed())).toBe(true);
    expect(piecesOf(text).join('')).toBe(text);
  });
});
