import { AES_KEY_BYTES, GCM_IV_BYTES, GCM_TAG_BYTES } from './aes-gcm.ts';
import { nodeGcm } from './aes-gcm.node.ts';
import { decodeSized, encodeBase64 } from './base64.ts';
import { concatBytes, type Bytes } from './bytes.ts';
import { readEnvelope } from './envelope-shape.ts';
import { PLAINTEXT_BYTES } from './limits.ts';
import { requireHash } from './oaep-hash.ts';
import { randomBytes } from './random.ts';
import { CryptoRefusal, refusing } from './refusal.ts';
import type { ValuePublicKey } from './value-wrapper.ts';

// Long values in pieces: a file is never in memory as plaintext, ciphertext and base64 at once. Only in Node: WebCrypto cannot work in
// pieces.

/** Seals plaintext for one recipient as it comes. Yields the text of the wrapper in pieces. @spec D1-2.3 */
export async function* sealValueInPieces(recipient: ValuePublicKey, plaintext: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  requireHash(recipient, 'SHA-256');
  const [aesKey, iv] = [randomBytes(AES_KEY_BYTES), randomBytes(GCM_IV_BYTES)];
  try {
    const k = new Uint8Array(await crypto.subtle.encrypt('RSA-OAEP', recipient, aesKey));
    yield `{"_enc":1,"k":"${encodeBase64(k)}","iv":"${encodeBase64(iv)}","d":"`;
    yield* base64Pieces(inNode().sealPieces(aesKey, iv, bounded(plaintext)));
    yield '"}';
  } finally {
    aesKey.fill(0);
  }
}

/** The parts of a wrapper whose `d` came in pieces, for a reader without the private key. */
export interface ValuePieces {
  /** The wrapped key in base64, for the holder of the private key to unwrap. */
  wrapped_key: string;
  /**
   * Yields the plaintext in pieces, opened with the value's own key in base64. Each piece of ciphertext is released when it was read. Do
   * not trust any of the plaintext before the last piece: only there is a changed wrapper refused.
   */
  openWith(value_key: string): Generator<Uint8Array>;
}

/** As `takeApart`, with some short `d` in the `wrapper`, and the real one decoded as `ciphertext`. @spec D1-2.3 @gap D1-2.8 */
export function takePiecesApart(wrapper: string, ciphertext: readonly Uint8Array[]): Promise<ValuePieces> {
  return refusing('envelope', () => {
    const { k, iv } = readEnvelope(wrapper);
    const pieces = [...ciphertext];
    const tag = takeTag(pieces);
    return { wrapped_key: encodeBase64(k), openWith: (value_key) => opened(value_key, iv, pieces, tag) };
  });
}

function* opened(value_key: string, iv: Bytes, pieces: Uint8Array[], tag: Bytes): Generator<Uint8Array> {
  const { openPieces } = inNode();
  try {
    yield* openPieces(decodeSized(value_key, AES_KEY_BYTES), iv, taken(pieces), tag);
  } catch {
    throw new CryptoRefusal('envelope');
  }
}

function* taken(pieces: Uint8Array[]): Generator<Uint8Array> {
  pieces.reverse();
  for (let piece = pieces.pop(); piece; piece = pieces.pop()) yield piece;
}

/** Removes the tag from the end and returns it, wherever the pieces were cut. */
function takeTag(pieces: Uint8Array[]): Bytes {
  let tag: Bytes = new Uint8Array(0);
  while (tag.length < GCM_TAG_BYTES) {
    const last = pieces.pop();
    if (!last) throw new CryptoRefusal('envelope');
    const cut = Math.max(0, last.length - (GCM_TAG_BYTES - tag.length));
    if (cut > 0) pieces.push(last.subarray(0, cut));
    tag = concatBytes(last.subarray(cut), tag);
  }
  return tag;
}

async function* bounded(plaintext: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of plaintext) {
    length += piece.length;
    if (length > PLAINTEXT_BYTES) throw new CryptoRefusal('plaintext');
    yield piece;
  }
}

/** Encodes a multiple of three bytes at a time, so that the pieces join to one base64 text. */
async function* base64Pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of bytes) {
    const known = rest.length > 0 ? concatBytes(rest, piece) : piece;
    const whole = known.length - (known.length % 3);
    if (whole > 0) yield nativeBase64(known.subarray(0, whole));
    rest = known.slice(whole);
  }
  if (rest.length > 0) yield nativeBase64(rest);
}

/** The part of Node's Buffer that is used here, so that browser projects need no Node types. */
interface NodeBuffer {
  from(memory: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string };
}

/** Encodes as `encodeBase64` does, in a tenth of the time. */
function nativeBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  const { Buffer } = globalThis as unknown as { Buffer: NodeBuffer };
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

function inNode(): NonNullable<typeof nodeGcm> {
  if (!nodeGcm) throw new Error('Values are sealed and opened in pieces in Node alone: elsewhere seal and open them whole.');
  return nodeGcm;
}
