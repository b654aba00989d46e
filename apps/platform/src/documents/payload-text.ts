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
}

/**
 * A payload as it comes, UTF-8, cut into pieces that rest: a wrapper or JSON as it is, of a file in the clear its base64, of which each
 * piece has whole quads. Two buffers take turns, so that one fills while the other is stored, and nothing is allocated for each piece.
 */
export class PayloadText {
  private readonly content: Hash = createHash('sha256');
  private readonly served: Hash = createHash('sha256').update(BEFORE);
  private readonly buffers = [Buffer.allocUnsafeSlow(PIECE_BYTES), Buffer.allocUnsafeSlow(PIECE_BYTES)] as const;
  private turn: 0 | 1 = 0;
  private length = 0;
  private isBase64: boolean | undefined;
  private bytes = 0;

  /**
   * Answers the pieces that are whole by now, each of which is good until the one after the next is asked for. The first bytes hold the
   * head of a data URI whole, if it is one.
   */
  *add(given: Uint8Array): Iterable<Uint8Array> {
    const bytes = asBuffer(given);
    let at = this.isBase64 === undefined ? this.readHead(bytes) : 0;
    while (at < bytes.length) {
      const copied = bytes.copy(this.buffers[this.turn], this.length, at);
      at += copied;
      this.length += copied;
      if (this.length === PIECE_BYTES) yield this.cut();
    }
  }

  /** The rest, and what all of it was. */
  end(): { piece: Uint8Array; digests: PayloadDigests } {
    const piece = this.digested(this.buffers[this.turn].subarray(0, this.length));
    const served_sha256 = this.isBase64 ? null : this.served.update(AFTER).digest('hex');
    return { piece, digests: { content_sha256: this.content.digest('hex'), served_sha256, bytes: this.isBase64 ? this.bytes : null } };
  }

  private readHead(bytes: Buffer): number {
    const head = DATA_URI.exec(bytes.toString('latin1', 0, HEAD_BYTES))?.[0];
    this.isBase64 = head !== undefined;
    return head?.length ?? 0;
  }

  /** No letter is cut in two: half of one cannot be kept. */
  private cut(): Uint8Array {
    const full = this.buffers[this.turn];
    const whole = wholeCharacters(full);
    this.turn = this.turn === 0 ? 1 : 0;
    this.length = full.copy(this.buffers[this.turn], 0, whole);
    return this.digested(full.subarray(0, whole));
  }

  private digested(piece: Buffer): Uint8Array {
    if (this.isBase64) {
      const bytes = Buffer.from(piece.toString('latin1'), 'base64');
      this.bytes += bytes.length;
      this.content.update(bytes);
    } else {
      this.content.update(piece);
      this.served.update(escaped(piece));
    }
    return piece;
  }
}

const IS_PLAIN = new Uint8Array(256).fill(1, 0x20);
for (const letter of '"\\') IS_PLAIN[letter.charCodeAt(0)] = 0;

/** As it stands between the quotes of JSON. What is escaped is ASCII, so that it does not matter where letters are cut. */
function escaped(bytes: Buffer): Buffer {
  let at = 0;
  while (at < bytes.length && IS_PLAIN[bytes[at]!]) at++;
  return at === bytes.length ? bytes : Buffer.from(JSON.stringify(bytes.toString('latin1')).slice(1, -1), 'latin1');
}

/** The bytes of the answer to whoever reads a sealed payload, of which the digest is known. */
export async function* sealedAnswer(payload: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield BEFORE;
  for await (const bytes of payload) yield escaped(asBuffer(bytes));
  yield AFTER;
}

const QUAD = 4;

/** The bytes of a file in the clear, of its base64. */
export async function* fileBytes(payload: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let rest = '';
  for await (const bytes of payload) {
    const text = rest + asBuffer(bytes).toString('latin1');
    const whole = text.length - (text.length % QUAD);
    rest = text.slice(whole);
    yield Buffer.from(rest === '' ? text : text.slice(0, whole), 'base64');
  }
  if (rest !== '') yield Buffer.from(rest, 'base64');
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);
