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

// Long values in pieces: a file is never in memory as plaintext, ciphertext and base64 at once. In Node alone: WebCrypto has no way for it.

/** Seals what comes for one recipient: the text of the wrapper, in pieces. @spec D1-2.3 */
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

/** A wrapper whose `d` came in pieces, in the hands of one who has no private key. */
export interface ValuePieces {
  /** For the one who has it to unwrap, in base64. */
  wrapped_key: string;
  /**
   * The plaintext in pieces, by the value's own key in base64; each piece of ciphertext is let go of when it was read. Take nothing of it
   * for true before the last piece: a wrapper that was changed is refused there.
   */
  openWith(value_key: string): Generator<Uint8Array>;
}

/** As `takeApart`. `wrapper` has another `d` of its form, `ciphertext` has what stood there, decoded. @spec D1-2.3 @gap D1-2.8 */
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

/** The last bytes, wherever the pieces were cut. */
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

/** Whole threes at a time, so that the pieces are one base64 text. */
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

/** As much of Node's Buffer as is used here, so that browser projects need no Node types. */
interface NodeBuffer {
  from(memory: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string };
}

/** A tenth of the time of `encodeBase64`, and the same text. */
function nativeBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  const { Buffer } = globalThis as unknown as { Buffer: NodeBuffer };
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

function inNode(): NonNullable<typeof nodeGcm> {
  if (!nodeGcm) throw new Error('Values are sealed and opened in pieces in Node alone: elsewhere seal and open them whole.');
  return nodeGcm;
}
