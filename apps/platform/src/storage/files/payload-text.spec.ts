import { createHash } from 'node:crypto';
import { PIECE_BYTES } from '../../kit/text-pieces.ts';
import { fileBytes, PayloadText, sealedAnswer } from './payload-text.ts';

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

/** Adds the text in chunks of `size` bytes. Returns its pieces and the digests that are known at its end. */
function cut(text: string, size: number) {
  const [payload, pieces, whole] = [new PayloadText(), [] as Buffer[], Buffer.from(text)];
  for (let from = 0; from < whole.length; from += size) {
    for (const piece of payload.add(whole.subarray(from, from + size))) pieces.push(Buffer.from(piece));
  }
  const { piece, digests } = payload.end();
  return { pieces: [...pieces, Buffer.from(piece)], digests };
}

/** Yields the pieces as they are stored, or in chunks of `size` bytes. */
async function* all(pieces: readonly Buffer[], size?: number): AsyncIterable<Uint8Array> {
  if (size === undefined) return yield* pieces;
  const whole = Buffer.concat(pieces);
  for (let from = 0; from < whole.length; from += size) yield whole.subarray(from, from + size);
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const chunk of chunks) found.push(Buffer.from(chunk));
  return Buffer.concat(found);
}

const isText = (bytes: Buffer) => Buffer.from(bytes.toString()).equals(bytes);

describe('document payload in pieces @spec D1-2.8 @spec D1-2.12', () => {
  it.each([4096, 65_536, 1_000_000])('gives back a text with its digests when it is added in chunks of %i', async (size) => {
    const text = JSON.stringify({ d: '"quoted" and 😀 wide\n\t\u0001'.repeat(30_000) });

    const { pieces, digests } = cut(text, size);

    expect(Buffer.concat(pieces).toString() === text).toBe(true);
    expect(pieces.every((piece) => piece.length <= PIECE_BYTES && isText(piece))).toBe(true);
    const answer = await bytesOf(sealedAnswer(all(pieces)));
    expect(JSON.parse(answer.toString())).toEqual({ encrypted: true, value: text });
    expect((await bytesOf(sealedAnswer(all(pieces, 1001)))).equals(answer)).toBe(true);
    expect(digests).toEqual({ content_sha256: sha256(text), served_sha256: sha256(answer), bytes: null, served_bytes: answer.length });
  });

  it.each([4096, 65_537])('gives back a file with its digest when it is added in chunks of %i', async (size) => {
    const file = Buffer.alloc(500_002, 'a file in the clear ');

    const { pieces, digests } = cut(`data:application/pdf;base64,${file.toString('base64')}`, size);

    expect((await bytesOf(fileBytes(all(pieces)))).equals(file)).toBe(true);
    expect((await bytesOf(fileBytes(all(pieces, 1001)))).equals(file)).toBe(true);
    expect(digests).toEqual({ content_sha256: sha256(file), served_sha256: null, bytes: 500_002, served_bytes: 500_002 });
  });

  it('ends a piece before a character that does not fit', () => {
    const { pieces } = cut(`${'a'.repeat(PIECE_BYTES - 2)}😀${'é'.repeat(PIECE_BYTES)}`, 5000);

    expect(pieces.map(({ length }) => length)).toEqual([PIECE_BYTES - 2, PIECE_BYTES, PIECE_BYTES, 4]);
    expect(pieces.every(isText)).toBe(true);
  });
});
