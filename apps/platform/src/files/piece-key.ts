import { createCipheriv, randomBytes } from 'node:crypto';

/** A wrapper as it is written by whoever encrypts in pieces: its key and its IV come before its ciphertext. @spec D1-2.3 */
const WRAPPER = /^\{"_enc":1,"k":"[A-Za-z0-9+/]{342}==","iv":"[A-Za-z0-9+/]{16}","d":"/;
const HEAD_BYTES = 512;

export const PIECE_KEY_BYTES = 32;

/**
 * What a payload is stored under until a document takes it; null for one that begins as a wrapper, and is ciphertext by itself. The key is
 * written with the document: of what is refused nothing can be read that was on a disk. @spec D1-2.12
 */
export const newPieceKey = (head: Uint8Array): Buffer | null =>
  WRAPPER.test(Buffer.from(head.subarray(0, HEAD_BYTES)).toString('latin1')) ? null : randomBytes(PIECE_KEY_BYTES);

const ALGORITHM = 'aes-256-ctr';

/** Each piece has counters of its own. A piece that was changed shows in the digest of the whole. */
function countersOf(position: number): Buffer {
  const counters = Buffer.alloc(16);
  counters.writeUInt32BE(position);
  return counters;
}

/** What is encrypted at once: longer values would be collected late. */
const STEP_BYTES = 16 * 1024;

/** In its own memory. Of pieces that are text, as earlier releases wrote them, it is text too: the base64 of what was encrypted. */
export function encryptPiece(key: Buffer, position: number, piece: Buffer): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, countersOf(position));
  for (let at = 0; at < piece.length; at += STEP_BYTES) piece.set(cipher.update(piece.subarray(at, at + STEP_BYTES)), at);
  return piece;
}

/** The same twice gives what there was. */
export const decryptPiece = encryptPiece;

export const decryptTextPiece = (key: Buffer, position: number, piece: Buffer): Buffer =>
  decryptPiece(key, position, decodedInPlace(piece));

/** Whole quads: a short string is collected soon. */
const DECODED_CHARS = 32 * 1024;

function decodedInPlace(base64: Buffer): Buffer {
  let length = 0;
  for (let from = 0; from < base64.length; from += DECODED_CHARS) {
    length += base64.write(base64.toString('latin1', from, Math.min(from + DECODED_CHARS, base64.length)), length, 'base64');
  }
  return base64.subarray(0, length);
}

/** How long so many bytes are then. */
export const encryptedBytes = (bytes: number): number => Math.ceil(bytes / 3) * 4;
