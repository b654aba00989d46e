import { createHash, type Hash } from 'node:crypto';
import { PIECE_BYTES, wholeCharacters } from '../text-pieces.ts';

/** How a sealed payload is answered, around its text. @spec D1-2.8 */
const [BEFORE, AFTER] = [Buffer.from('{"encrypted":true,"value":"'), Buffer.from('"}')];

const DATA_URI = /^data:[^,]*;base64,/;
/** A data URI has its comma within this. */
const HEAD_BYTES = 512;

/** What is known of a payload when all of it has come. */
export interface PayloadDigests {
  /** Of the text as it came, or of the bytes of a file in the clear. */
  content_sha256: string;
  /** Of the answer to whoever reads it; null for a file in the clear, which is answered as it is. */
  served_sha256: string | null;
  /** Of a file in the clear; null for text. */
  bytes: number | null;
  /** How long the answer to whoever reads it is. */
  served_bytes: number;
}

/**
 * A payload as it comes, UTF-8, cut into pieces that rest: a wrapper or JSON as it is, of a file in the clear its base64, of which each
 * piece has whole quads. They share one buffer, so that nothing is allocated for each.
 */
export class PayloadText {
  private readonly content: Hash = createHash('sha256');
  private readonly served: Hash = createHash('sha256').update(BEFORE);
  private readonly buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  private readonly decoder = new Base64Decoder();
  private length = 0;
  private isBase64: boolean | undefined;
  /** Of the file, or of the text as it stands in an answer. */
  private bytes = 0;

  /**
   * Answers the pieces that are whole by now, each of which is good until the next is asked for. The first bytes hold the head of a data
   * URI whole, if it is one.
   */
  *add(given: Uint8Array): Iterable<Buffer> {
    const bytes = asBuffer(given);
    let at = this.isBase64 === undefined ? this.readHead(bytes) : 0;
    while (at < bytes.length) {
      const copied = bytes.copy(this.buffer, this.length, at);
      at += copied;
      this.length += copied;
      if (this.length === PIECE_BYTES) yield* this.cut();
    }
  }

  /** The rest, and what all of it was. */
  end(): { piece: Buffer; digests: PayloadDigests } {
    const piece = this.digested(this.buffer.subarray(0, this.length));
    const served_sha256 = this.isBase64 ? null : this.served.update(AFTER).digest('hex');
    const content_sha256 = this.content.digest('hex');
    const served_bytes = this.isBase64 ? this.bytes : BEFORE.length + this.bytes + AFTER.length;
    return { piece, digests: { content_sha256, served_sha256, bytes: this.isBase64 ? this.bytes : null, served_bytes } };
  }

  private readHead(bytes: Buffer): number {
    const head = DATA_URI.exec(bytes.toString('latin1', 0, HEAD_BYTES))?.[0];
    this.isBase64 = head !== undefined;
    return head?.length ?? 0;
  }

  /** No letter is cut in two: half of one cannot be kept. */
  private *cut(): Iterable<Buffer> {
    const whole = wholeCharacters(this.buffer);
    yield this.digested(this.buffer.subarray(0, whole));
    this.length = this.buffer.copy(this.buffer, 0, whole);
  }

  private digested(piece: Buffer): Buffer {
    if (this.isBase64) {
      for (const bytes of this.decoder.add(piece)) {
        this.bytes += bytes.length;
        this.content.update(bytes);
      }
    } else {
      this.content.update(piece);
      const served = escaped(piece);
      this.bytes += served.length;
      this.served.update(served);
    }
    return piece;
  }
}

/** What JSON escapes of the letters that a wrapper may have, which is JSON itself. */
const ESCAPED = [...'"\\\n\r\t'].map((letter) => letter.charCodeAt(0));

/** As it stands between the quotes of JSON. What is escaped is ASCII, so that it does not matter where letters are cut. */
const escaped = (bytes: Buffer): Buffer =>
  ESCAPED.some((letter) => bytes.includes(letter)) ? Buffer.from(JSON.stringify(bytes.toString('latin1')).slice(1, -1), 'latin1') : bytes;

/** The bytes of the answer to whoever reads a sealed payload, of which the digest is known. */
export async function* sealedAnswer(payload: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield BEFORE;
  for await (const bytes of payload) yield escaped(asBuffer(bytes));
  yield AFTER;
}

/** The bytes of a file in the clear, of its base64. Each is good until the one after the next is asked for. */
export async function* fileBytes(payload: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const decoder = new Base64Decoder();
  for await (const bytes of payload) yield* decoder.add(bytes);
  yield* decoder.end();
}

const QUAD = 4;
/** What is decoded in one go: the string that it takes is short, and collected soon. */
const DECODED_CHARS = 32 * 1024;

/** Decodes base64 as it comes, into memory that is used again: bytes are good until the ones after the next are asked for. */
export class Base64Decoder {
  private readonly buffers = [Buffer.allocUnsafeSlow(DECODED_CHARS), Buffer.allocUnsafeSlow(DECODED_CHARS)] as const;
  private turn: 0 | 1 = 0;
  private rest = '';

  *add(given: Uint8Array): Iterable<Buffer> {
    const base64 = asBuffer(given);
    for (let from = 0; from < base64.length;) {
      const to = Math.min(from + DECODED_CHARS - QUAD, base64.length);
      const text = this.rest + base64.toString('latin1', from, to);
      const whole = text.length - (text.length % QUAD);
      this.rest = text.slice(whole);
      from = to;
      if (whole > 0) yield this.decoded(text.slice(0, whole));
    }
  }

  *end(): Iterable<Buffer> {
    if (this.rest !== '') yield this.decoded(this.rest);
  }

  private decoded(text: string): Buffer {
    this.turn = this.turn === 0 ? 1 : 0;
    const into = this.buffers[this.turn];
    return into.subarray(0, into.write(text, 'base64'));
  }
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);
