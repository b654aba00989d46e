import { Refusal } from '@codase/contracts';

/** How many letters of a run of base64 are kept at its start; a longer run loses its middle. */
const KEPT = 4096;
/** How many letters are kept at most at its end: enough that the last quad, and the length modulo four, are those of the whole run. */
const TAIL = 7;

const NOTHING = Buffer.alloc(0);

/** What comes next in an escape, by its next byte. Nothing comes next when it is complete. */
type Escapes = Map<number, Escapes>;

function escapesOf(all: readonly string[]): Escapes {
  const first: Escapes = new Map();
  for (const escape of all) {
    let next = first;
    for (const byte of Buffer.from(escape)) {
      if (!next.has(byte)) next.set(byte, new Map());
      next = next.get(byte)!;
    }
  }
  return first;
}

/** Some languages escape letters of base64 in JSON: PHP the slash, .NET the plus sign. */
const SLASHES = [String.raw`\/`, String.raw`\u002f`, String.raw`\u002F`];
const LETTERS = [...SLASHES, String.raw`\u002b`, String.raw`\u002B`];
/** The same in the text of a string that is JSON itself, a wrapper for example: the backslash is escaped, and the slash may be. */
const LETTERS_IN_JSON = [...LETTERS, ...LETTERS.map((escape) => `\\${escape}`), ...SLASHES.map((escape) => `\\\\${escape}`)];
const [IN_TEXT, IN_JSON] = [escapesOf(LETTERS), escapesOf(LETTERS_IN_JSON)];
const ESCAPE_BYTES = Math.max(...LETTERS_IN_JSON.map(({ length }) => length));

/** Returns the length of the escape that stands there for a letter of base64; 0 when none does. */
function lengthOfEscape(chunk: Buffer, at: number, escapes: Escapes): number {
  let next = escapes.get(chunk[at]!);
  for (let end = at + 1; next; end++) {
    if (next.size === 0) return end - at;
    next = next.get(chunk[end]!);
  }
  return 0;
}

/** Returns where an escape begins that may go on in the next chunk; the length of the chunk when there is none. */
function startOfCutEscape(chunk: Buffer): number {
  for (let at = Math.max(0, chunk.length - ESCAPE_BYTES + 1); at < chunk.length; at++) {
    let next: Escapes | undefined = IN_JSON;
    for (let end = at; next && end < chunk.length; end++) next = next.get(chunk[end]!);
    if (next && next.size > 0) return at;
  }
  return chunk.length;
}

const [QUOTE, BACKSLASH, BRACE] = [0x22, 0x5c, 0x7b];

const IS_BASE64 = new Uint8Array(256);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') IS_BASE64[letter.charCodeAt(0)] = 1;

/**
 * Reads JSON as it comes and takes the middle out of long runs of base64 in its strings, a multiple of four letters each: whether a text is
 * base64, a wrapper or a data URI can still be seen from the short one. The whole text of such a string is handed on piece by piece; there
 * may be only one. Everything else is kept, and parsed when all has come. It works on bytes: strings of this length would pile up on the
 * heap. What is kept lies in one buffer, because a body may consist of very many short strings.
 */
export class StringShortener {
  private kept: Buffer = NOTHING;
  private keptBytes = 0;
  /** From where on the chunk is not kept yet. */
  private unkeptFrom = 0;
  /** The last bytes of the chunk before, which may be the first ones of an escape. */
  private buffered: Buffer = NOTHING;
  private isInString = false;
  private isEscaped = false;
  /** The escapes that stand for a letter of base64 in the string. */
  private escapes = IN_TEXT;
  /** How many letters of base64 in a row came last. */
  private run = 0;
  /** The last letters that were taken out. */
  private tail: Buffer = NOTHING;
  /** Where the kept part of the string begins. */
  private stringFrom = 0;
  /** Where the part of it begins that was not handed on yet, as it is written in JSON. */
  private pendingFrom = 0;
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
  add(given: Buffer): Buffer[] {
    const chunk = this.withWholeEscapes(given);
    const handed: Buffer[] = [];
    this.unkeptFrom = 0;
    let from = 0;
    while (from < chunk.length) {
      if (!this.isInString) from = this.skipTo(chunk, from);
      else if (this.run >= KEPT) {
        const end = endOfRun(chunk, from, this.escapes);
        if (end > from) {
          this.takeOut(chunk.subarray(from, end), handed);
          this.unkeptFrom = from = end;
        }
        if (from < chunk.length) this.endRun();
      } else {
        from = this.readString(chunk, from, handed);
      }
    }
    this.keepUntil(chunk, chunk.length);
    return handed;
  }

  /** The kept text so far. */
  get textSoFar(): string {
    return this.kept.toString('utf8', 0, this.keptBytes);
  }

  /** The document without the letters that were taken out. */
  whole(): Buffer {
    this.endRun();
    this.keep(this.buffered);
    return this.kept.subarray(0, this.keptBytes);
  }

  /** Returns the bytes to read next. Bytes at the end that may begin an escape of a letter are read with the next chunk. */
  private withWholeEscapes(given: Buffer): Buffer {
    const bytes = this.buffered.length === 0 ? given : Buffer.concat([this.buffered, given]);
    const end = startOfCutEscape(bytes);
    this.buffered = end === bytes.length ? NOTHING : Buffer.from(bytes.subarray(end)); // a copy, because the chunk is gone soon
    return bytes.subarray(0, end);
  }

  /** Reads on outside of strings, to the quote that opens the next one. Returns where it stopped. */
  private skipTo(chunk: Buffer, from: number): number {
    const quote = chunk.indexOf(QUOTE, from);
    if (quote < 0) return chunk.length;
    [this.isInString, this.isEscaped, this.isLong, this.run] = [true, false, false, 0];
    this.stringFrom = this.pendingFrom = this.offsetOf(quote + 1);
    return quote + 1;
  }

  /** Reads on in a string, to its end or until a run gets long. Returns where it stopped. */
  private readString(chunk: Buffer, from: number, handed: Buffer[]): number {
    if (this.offsetOf(from) === this.stringFrom) this.escapes = chunk[from] === BRACE ? IN_JSON : IN_TEXT;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.isEscaped) {
        this.isEscaped = false;
        this.run = 0;
        continue;
      }
      if (byte === QUOTE) {
        if (this.isLong) this.endLong(chunk, at, handed);
        this.isInString = false;
        return at + 1;
      }
      const length = IS_BASE64[byte] ? 1 : byte === BACKSLASH && this.run > 0 ? lengthOfEscape(chunk, at, this.escapes) : 0;
      if (length === 0) {
        this.isEscaped = byte === BACKSLASH;
        this.run = 0;
        continue;
      }
      at += length - 1;
      if (++this.run === KEPT) {
        this.keepUntil(chunk, at + 1);
        return at + 1;
      }
    }
    return chunk.length;
  }

  private takeOut(raw: Buffer, handed: Buffer[]): void {
    if (!this.isLong) {
      if (this.wasLong) throw new Refusal('request.invalid').because('body: must have one long string at most');
      [this.isLong, this.wasLong] = [true, true];
    }
    this.handOnPending(handed);
    const text = unescaped(raw);
    const letters = unescaped(text);
    this.run += letters.length;
    this.tail = Buffer.concat([this.tail, letters.subarray(-TAIL)]).subarray(-TAIL); // a copy, because the chunk is gone soon
    handed.push(text);
  }

  /** Keeps the end of the run, so that a multiple of four letters is left out. These letters were handed on before. */
  private endRun(): void {
    const outside = this.run - KEPT;
    if (outside > 0) {
      this.keep(this.tail.subarray(-Math.min(outside, 4 + (outside % 4))));
      this.pendingFrom = this.keptBytes;
    }
    [this.run, this.tail] = [0, NOTHING];
  }

  private endLong(chunk: Buffer, end: number, handed: Buffer[]): void {
    this.keepUntil(chunk, end);
    this.shortened = decode(this.kept.subarray(this.stringFrom, this.keptBytes));
    this.handOnPending(handed);
  }

  /** Hands on the pending part of the string. It never ends inside of an escape: that is shorter than the start that is kept. */
  private handOnPending(handed: Buffer[]): void {
    if (this.pendingFrom < this.keptBytes) handed.push(Buffer.from(decode(this.kept.subarray(this.pendingFrom, this.keptBytes))));
    this.pendingFrom = this.keptBytes;
  }

  /** The place that a byte of the chunk gets in what is kept. */
  private offsetOf(at: number): number {
    return this.keptBytes + at - this.unkeptFrom;
  }

  private keepUntil(chunk: Buffer, end: number): void {
    this.keep(chunk.subarray(this.unkeptFrom, end));
    this.unkeptFrom = end;
  }

  /** Copies the bytes, because the chunk is gone soon. */
  private keep(bytes: Buffer): void {
    const end = this.keptBytes + bytes.length;
    if (end > this.mostKept) throw new Refusal('request.too_large');
    if (end > this.kept.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(end, 2 * this.kept.length), this.mostKept));
      larger.set(this.kept.subarray(0, this.keptBytes));
      this.kept = larger;
    }
    this.kept.set(bytes, this.keptBytes);
    this.keptBytes = end;
  }
}

/** Returns the string that the text between two quotes of JSON stands for. */
function decode(raw: Buffer): string {
  try {
    return JSON.parse(`"${new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)}"`) as string;
  } catch {
    throw new Refusal('request.invalid').because('body: must be JSON');
  }
}

const unescaped = (raw: Buffer): Buffer => (raw.includes(BACKSLASH) ? Buffer.from(decode(raw)) : raw);

/** Returns where the run ends in the chunk. For a chunk of a file that is nearly always its end, which is found quickly. */
function endOfRun(chunk: Buffer, from: number, escapes: Escapes): number {
  const quads = chunk.length - ((chunk.length - from) % QUAD);
  let end = endOfLetters(chunk, hasLettersAlone(chunk, from, quads) ? quads : from);
  for (let length; (length = lengthOfEscape(chunk, end, escapes)) > 0;) end = endOfLetters(chunk, end + length);
  return end;
}

const [QUAD, THREE] = [4, 3];
/** How many letters are checked at once: whole quads, and so few that the string of them is collected soon. */
const STEP = 32 * 1024;
const decoded = Buffer.allocUnsafeSlow((STEP / QUAD) * THREE);
/** Letters that are not base64, but that the decoder accepts as such. */
const URL_LETTERS = [...'-_'].map((letter) => letter.charCodeAt(0));

/** Whether all letters are base64: Node's decoder skips others, so its result is shorter. Half the time of a loop. */
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
