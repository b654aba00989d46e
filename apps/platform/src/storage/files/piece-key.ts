import { createCipheriv, randomBytes } from 'node:crypto';

/** The head of a wrapper as clients that encrypt in pieces write it: its key and its IV come before its ciphertext. @spec D1-2.3 */
const WRAPPER = /^\{"_enc":1,"k":"[A-Za-z0-9+/]{342}==","iv":"[A-Za-z0-9+/]{16}","d":"/;
const HEAD_BYTES = 512;

export const PIECE_KEY_BYTES = 32;

/**
 * Returns the key that encrypts the pieces of a payload; null for a payload that begins as a wrapper, which is ciphertext already. The key
 * is stored only with the document that takes the payload: what a refused payload left on a disk cannot be read. @spec D1-2.12
 */
export const newPieceKey = (head: Uint8Array): Buffer | null =>
  WRAPPER.test(Buffer.from(head.subarray(0, HEAD_BYTES)).toString('latin1')) ? null : randomBytes(PIECE_KEY_BYTES);

const ALGORITHM = 'aes-256-ctr';

/** Returns the first counter of a piece; no two pieces share counters. A changed piece is detected by the digest of the whole payload. */
function countersOf(position: number): Buffer {
  const counters = Buffer.alloc(16);
  counters.writeUInt32BE(position);
  return counters;
}

/** How many bytes are encrypted in one step: longer buffers would be garbage collected late. */
const STEP_BYTES = 16 * 1024;

/** Encrypts a piece in its own memory. Earlier releases stored the base64 of the result, which `decryptTextPiece` decodes first. */
export function encryptPiece(key: Buffer, position: number, piece: Buffer): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, countersOf(position));
  for (let at = 0; at < piece.length; at += STEP_BYTES) piece.set(cipher.update(piece.subarray(at, at + STEP_BYTES)), at);
  return piece;
}

/** Encrypting a second time gives the plaintext, since the cipher is in counter mode. */
export const decryptPiece = encryptPiece;

export const decryptTextPiece = (key: Buffer, position: number, piece: Buffer): Buffer =>
  decryptPiece(key, position, decodedInPlace(piece));

/** How many characters are decoded in one step: whole quads, and few, since a short string is garbage collected soon. */
const DECODED_CHARS = 32 * 1024;

function decodedInPlace(base64: Buffer): Buffer {
  let length = 0;
  for (let from = 0; from < base64.length; from += DECODED_CHARS) {
    length += base64.write(base64.toString('latin1', from, Math.min(from + DECODED_CHARS, base64.length)), length, 'base64');
  }
  return base64.subarray(0, length);
}

/** Returns the length of so many bytes as base64, as earlier releases stored encrypted pieces. */
export const encryptedBytes = (bytes: number): number => Math.ceil(bytes / 3) * 4;
