import { createHash, type Hash } from 'node:crypto';
import { PIECE_BYTES, wholeCharacters } from '../../kit/text-pieces.ts';

/** The JSON around the text of a sealed payload in an answer. @spec D1-2.8 */
const [BEFORE, AFTER] = [Buffer.from('{"encrypted":true,"value":"'), Buffer.from('"}')];

const DATA_URI = /^data:[^,]*;base64,/;
/** The first bytes of a data URI, within which its comma must stand. */
const HEAD_BYTES = 512;

/** The digests and lengths of a payload, known when all of it has arrived. */
export interface PayloadDigests {
  /** The digest of the text as it arrived, or of the bytes of a file in the clear. */
  content_sha256: string;
  /** The digest of the answer to a reader; null for a file in the clear, which is answered as it is. */
  served_sha256: string | null;
  /** The length of a file in the clear; null for text. */
  bytes: number | null;
  /** The length of the answer to a reader. */
  served_bytes: number;
}

/**
 * Cuts an arriving payload (UTF-8) into the pieces that are stored. A wrapper or JSON stays as it is. Of a file in the clear, the base64 is
 * stored, in pieces of whole quads. All pieces share one buffer, so that no memory is allocated for each.
 */
export class PayloadText {
  private readonly content: Hash = createHash('sha256');
  private readonly served: Hash = createHash('sha256').update(BEFORE);
  private readonly buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  private readonly decoder = new Base64Decoder();
  private length = 0;
  private isBase64: boolean | undefined;
  /** The length so far: of the file, or of the text as an answer has it. */
  private bytes = 0;

  /** Returns the pieces that are complete, each valid until the next. The first bytes of a data URI must hold its whole head. */
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

  /** Returns the last piece, and the digests of the whole payload. */
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

  /** Cuts a piece between two characters, since half a character cannot be stored. */
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

/** The characters that JSON escapes and that a wrapper may contain, which is JSON itself. */
const ESCAPED = [...'"\\\n\r\t'].map((letter) => letter.charCodeAt(0));

/** Returns the bytes as they stand in a JSON string. Only ASCII is escaped, so it does not matter where a character is cut. */
const escaped = (bytes: Buffer): Buffer =>
  ESCAPED.some((letter) => bytes.includes(letter)) ? Buffer.from(JSON.stringify(bytes.toString('latin1')).slice(1, -1), 'latin1') : bytes;

/** Returns the bytes of the answer to the reader of a sealed payload; their digest is `served_sha256`. */
export async function* sealedAnswer(payload: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield BEFORE;
  for await (const bytes of payload) yield escaped(asBuffer(bytes));
  yield AFTER;
}

/** Decodes the base64 of a file in the clear. Each chunk is valid until the one after the next is requested. */
export async function* fileBytes(payload: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const decoder = new Base64Decoder();
  for await (const bytes of payload) yield* decoder.add(bytes);
  yield* decoder.end();
}

const QUAD = 4;
/** How many characters are decoded in one step. A short step needs a short string, which is garbage collected soon. */
const DECODED_CHARS = 32 * 1024;

/** Decodes base64 as it arrives, into memory that is used again: a chunk is valid until the one after the next is requested. */
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
