/** How a piece of text is stored: as its UTF-8, or as the bytes whose base64 the text is, which takes a quarter less. */
export type Encoding = 'utf8' | 'base64';

export interface PackedPiece {
  encoding: Encoding;
  bytes: Buffer;
}

/** The size of a step: whole quads of base64, and their bytes. A short step needs a short string, which is collected soon. */
const [STEP_CHARS, STEP_BYTES] = [32 * 1024, 24 * 1024];
const [QUAD, THREE] = [4, 3];
/** The characters of base64url. Node decodes them like base64, but encodes the bytes with other characters. */
const URL_LETTERS = [...'-_'].map((letter) => letter.charCodeAt(0));

/**
 * Packs a piece into memory of the caller, which is at least as long as the piece. A piece of whole base64 quads is decoded: its bytes give
 * the same characters when they are encoded again, wherever the text was cut. Any other piece is stored as it is.
 */
export function packPiece(text: Buffer, into: Buffer): PackedPiece {
  const length = decodedLength(text, into);
  if (length !== undefined) return { encoding: 'base64', bytes: into.subarray(0, length) };
  return { encoding: 'utf8', bytes: into.subarray(0, text.copy(into)) };
}

/** Decodes into the memory, and returns the number of bytes; undefined if a character is not base64: Node skips it, and writes fewer. */
function decodedLength(text: Buffer, into: Buffer): number | undefined {
  if (text.length % QUAD !== 0 || URL_LETTERS.some((letter) => text.includes(letter))) return undefined;
  let length = 0;
  for (let from = 0; from < text.length; from += STEP_CHARS) {
    const to = Math.min(from + STEP_CHARS, text.length);
    const written = into.write(text.toString('latin1', from, to), length, 'base64');
    if (written !== ((to - from) / QUAD) * THREE) return undefined;
    length += written;
  }
  return length;
}

/**
 * Returns the text of a piece. `memory` has the packed bytes anywhere in it and is large enough for the text, which is written from its
 * start. The bytes are copied to its end first, so that each step reads its bytes before the text overwrites them.
 */
export function unpackPiece({ encoding, bytes }: PackedPiece, memory: Buffer): Buffer {
  if (encoding === 'utf8') return bytes;
  const packed = memory.subarray(memory.length - bytes.length);
  packed.set(bytes);
  let length = 0;
  for (let from = 0; from < packed.length; from += STEP_BYTES) {
    const letters = packed.toString('base64', from, Math.min(from + STEP_BYTES, packed.length));
    length += memory.write(letters, length, 'latin1');
  }
  return memory.subarray(0, length);
}
