import { Refusal } from '@cds/contracts';

/** How many letters of a run of base64 are kept at its start; a longer run loses its middle. */
const KEPT = 4096;
/** How many letters are kept at most at its end: enough that the last quad, and the length modulo four, are those of the whole run. */
const TAIL = 7;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

const IS_BASE64 = new Uint8Array(256);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') IS_BASE64[letter.charCodeAt(0)] = 1;

/**
 * Reads JSON as it comes and takes the middle out of long runs of base64 in its strings, a multiple of four letters each: whether a text is
 * base64, a wrapper or a data URI can still be seen from the short one. The whole text of such a string is handed on piece by piece; there
 * may be only one. Everything else is kept, and parsed when all has come. It works on bytes: strings of this length would pile up on the
 * heap.
 */
export class StringShortener {
  private readonly kept: Buffer[] = [];
  private keptBytes = 0;
  private isInString = false;
  private isEscaped = false;
  /** How many letters of base64 in a row came last. */
  private run = 0;
  /** The last letters that were taken out. */
  private tail: Buffer = Buffer.alloc(0);
  /** The part of the string that was not handed on yet, as it is written in JSON. */
  private pending: Buffer[] = [];
  /** The kept part of the string so far. */
  private short: Buffer[] = [];
  private isLong = false;
  private wasLong = false;
  /**
   * The short text that replaces the long string in the document, once it was read; undefined when there was none. Code that takes the long
   * string for a member of the document has to compare it: a name may be long as well, and of a member that comes twice the last one
   * counts.
   */
  shortened: string | undefined;

  constructor(private readonly mostKept: number) {}

  /** Reads a chunk and returns the next pieces of the long string in it, as UTF-8. Most of them are memory of the chunk. */
  add(chunk: Buffer): Buffer[] {
    const handed: Buffer[] = [];
    let from = 0;
    while (from < chunk.length) {
      if (!this.isInString) from = this.skipTo(chunk, from);
      else if (this.run >= KEPT) {
        const end = endOfRun(chunk, from);
        if (end > from) {
          this.takeOut(chunk.subarray(from, end), handed);
          from = end;
        }
        if (from < chunk.length) this.endRun();
      } else {
        from = this.readString(chunk, from, handed);
      }
    }
    return handed;
  }

  /** The kept text so far. */
  get textSoFar(): string {
    return Buffer.concat(this.kept, this.keptBytes).toString();
  }

  /** The document without the letters that were taken out. */
  whole(): Buffer {
    this.endRun();
    return Buffer.concat(this.kept, this.keptBytes);
  }

  /** Keeps the text outside of strings, and the quote that opens the next string. Returns where it stopped. */
  private skipTo(chunk: Buffer, from: number): number {
    const quote = chunk.indexOf(QUOTE, from);
    const end = quote < 0 ? chunk.length : quote + 1;
    this.keep(chunk.subarray(from, end));
    if (quote >= 0) {
      [this.isInString, this.isEscaped, this.isLong, this.run, this.pending, this.short] = [true, false, false, 0, [], []];
    }
    return end;
  }

  /** Reads on in a string, to its end or until a run gets long. Returns where it stopped. */
  private readString(chunk: Buffer, from: number, handed: Buffer[]): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.isEscaped) {
        this.isEscaped = false;
        this.run = 0;
      } else if (byte === BACKSLASH) {
        this.isEscaped = true;
        this.run = 0;
      } else if (byte === QUOTE) {
        this.keepInString(chunk.subarray(from, at));
        if (this.isLong) this.endLong(handed);
        this.keep(chunk.subarray(at, at + 1));
        this.isInString = false;
        return at + 1;
      } else if (IS_BASE64[byte]) {
        if (++this.run === KEPT) {
          this.keepInString(chunk.subarray(from, at + 1));
          return at + 1;
        }
      } else this.run = 0;
    }
    this.keepInString(chunk.subarray(from, at));
    return at;
  }

  private takeOut(letters: Buffer, handed: Buffer[]): void {
    if (!this.isLong) {
      if (this.wasLong) throw new Refusal('request.invalid').because('body: must have one long string at most');
      [this.isLong, this.wasLong] = [true, true];
    }
    if (this.pending.length > 0) handed.push(this.decodePending());
    this.run += letters.length;
    this.tail = Buffer.concat([this.tail, letters.subarray(-TAIL)]).subarray(-TAIL); // a copy, because the chunk is gone soon
    handed.push(letters);
  }

  /** Keeps the end of the run, so that a multiple of four letters is left out. These letters were handed on before. */
  private endRun(): void {
    const outside = this.run - KEPT;
    if (outside > 0) {
      const end = this.tail.subarray(-Math.min(outside, 4 + (outside % 4)));
      this.keep(end);
      this.short.push(end);
    }
    [this.run, this.tail] = [0, Buffer.alloc(0)];
  }

  private keepInString(raw: Buffer): void {
    this.keep(raw);
    this.pending.push(raw);
    this.short.push(raw);
  }

  private endLong(handed: Buffer[]): void {
    this.shortened = decode(this.short);
    handed.push(this.decodePending());
  }

  /**
   * Decodes the pending part of the string. It never ends inside of an escape, which is shorter than the start that is kept of each run.
   */
  private decodePending(): Buffer {
    const raw = this.pending;
    this.pending = [];
    return Buffer.from(decode(raw));
  }

  private keep(bytes: Buffer): void {
    this.keptBytes += bytes.length;
    if (this.keptBytes > this.mostKept) throw new Refusal('request.too_large');
    this.kept.push(Buffer.from(bytes)); // a copy, because the chunk is long, and gone soon
  }
}

/** Returns the string that the text between two quotes of JSON stands for. */
function decode(raw: readonly Buffer[]): string {
  try {
    return JSON.parse(`"${new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(raw))}"`) as string;
  } catch {
    throw new Refusal('request.invalid').because('body: must be JSON');
  }
}

/** Returns where the run ends in the chunk. For a chunk of a file that is nearly always its end, which is found quickly. */
function endOfRun(chunk: Buffer, from: number): number {
  const quads = chunk.length - ((chunk.length - from) % QUAD);
  return endOfLetters(chunk, hasLettersAlone(chunk, from, quads) ? quads : from);
}

const [QUAD, THREE] = [4, 3];
/** How many letters are checked at once: whole quads, and so few that the string of them is collected soon. */
const STEP = 32 * 1024;
const decoded = Buffer.allocUnsafeSlow((STEP / QUAD) * THREE);
/** Letters that are not base64, but that the decoder accepts as such. */
const URL_LETTERS = [...'-_'].map((letter) => letter.charCodeAt(0));

/**
 * Whether all letters are base64. Node's own decoder skips all others, which shows in the length of its result. It takes half the time of a
 * loop.
 */
function hasLettersAlone(chunk: Buffer, from: number, end: number): boolean {
  const letters = chunk.subarray(from, end);
  if (URL_LETTERS.some((letter) => letters.includes(letter))) return false;
  for (let at = 0; at < letters.length; at += STEP) {
    const some = letters.toString('latin1', at, Math.min(at + STEP, letters.length));
    if (decoded.write(some, 'base64') !== (some.length / QUAD) * THREE) return false;
  }
  return true;
}

/** Returns where the letters of base64 end. It compares words of four letters, which takes less than half the time. */
function endOfLetters(chunk: Buffer, from: number): number {
  const words = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  let at = from;
  for (; at + 4 <= chunk.length; at += 4) {
    const word = words.getInt32(at);
    if ((IS_BASE64[word & 255]! & IS_BASE64[(word >> 8) & 255]! & IS_BASE64[(word >> 16) & 255]! & IS_BASE64[word >>> 24]!) === 0) break;
  }
  while (at < chunk.length && IS_BASE64[chunk[at]!]) at++;
  return at;
}
