import { PIECE_CHARS } from '@codase/contracts';

/** The size of the pieces of a long text. The client of the bus takes more than twice as much memory for longer ones. */
export const PIECE_BYTES = 180 * 1024;

/** Returns how many of the bytes, from the first one on, are whole UTF-8 characters. */
export function wholeCharacters(bytes: Uint8Array): number {
  let lead = bytes.length - 1;
  while (lead > 0 && isContinuation(bytes[lead]!)) lead--;
  const first = bytes[lead]!;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return lead + size <= bytes.length ? lead + size : lead;
}

/** Whether a byte of UTF-8 is not the first byte of its character. */
export const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Splits a text into pieces, whatever the size of its chunks. No character is cut: the database does not store half of one. */
export async function* inPieces(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let length = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = 0; at < bytes.length;) {
      const copied = bytes.copy(piece, length, at);
      at += copied;
      length += copied;
      if (length < PIECE_BYTES) continue;
      const whole = wholeCharacters(piece);
      const full = piece;
      piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      length = full.copy(piece, 0, whole);
      yield full.subarray(0, whole);
    }
  }
  if (length > 0) yield piece.subarray(0, length);
}

/** Splits a long text into pieces that fit into a message. A surrogate pair is never split: half of one cannot be stored. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += pieces.at(-1)!.length) {
    const isCut = HIGH_SURROGATE.test(text.charAt(from + PIECE_CHARS - 1));
    pieces.push(text.slice(from, from + PIECE_CHARS - (isCut ? 1 : 0)));
  }
  return pieces;
}

/** The first half of a character that takes two UTF-16 units. */
const HIGH_SURROGATE = /^[\ud800-\udbff]$/;
