/** How a piece of text is stored as bytes: its UTF-8, or what it is the base64 of, which is a quarter less. */
export type Encoding = 'utf8' | 'base64';

export interface PackedPiece {
  encoding: Encoding;
  bytes: Buffer;
}

/** Whole quads, and whole threes: the string that each step takes is short, and collected soon. */
const [STEP_CHARS, STEP_BYTES] = [32 * 1024, 24 * 1024];
const [QUAD, THREE] = [4, 3];
/** Letters that Node reads as those of base64, and writes as others. */
const URL_LETTERS = [...'-_'].map((letter) => letter.charCodeAt(0));

/**
 * Packs a piece into memory of the caller, which is as long. Where all of it is letters of base64, any number of quads stands for bytes
 * that are written as the same letters again, wherever the piece was cut; anything else stays as it is.
 */
export function packPiece(text: Buffer, into: Buffer): PackedPiece {
  const length = decodedLength(text, into);
  if (length !== undefined) return { encoding: 'base64', bytes: into.subarray(0, length) };
  return { encoding: 'utf8', bytes: into.subarray(0, text.copy(into)) };
}

/** What its letters stand for. Undefined where there are others: then they stand for less, since what is foreign is skipped. */
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
 * The text of a piece whose bytes lie anywhere in some memory, in the same memory from its begin on: it has room for the text. Bytes go to
 * its end first, from where each step is read before its letters come there.
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
