import { MAX_DEPTH, type Budget } from '../limits.ts';
import { damaged, PdfRefusal } from '../refusal.ts';
import { Dict, isCount, Name, Ref, Stream, Text, type Value } from './values.ts';

const WHITE = 1;
const DELIMITER = 2;
const KINDS = new Uint8Array(256);
for (const byte of [0, 9, 10, 12, 13, 32]) KINDS[byte] = WHITE;
for (const character of '()<>[]{}/%') KINDS[character.charCodeAt(0)] = DELIMITER;

const code = (character: string) => character.charCodeAt(0);
const [OPEN, CLOSE, LESS, GREATER, OPEN_ARRAY, CLOSE_ARRAY, SLASH, PERCENT, BACKSLASH] = [...'()<>[]/%\\'].map(code) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];
const [LF, CR] = [10, 13];
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 48 && byte <= 57;

/** Reads values of PDF syntax from an offset of a buffer on. ISO 32000-1, 7.2 and 7.3. */
export class Parser {
  readonly bytes: Buffer;
  readonly #budget: Budget;
  at: number;

  constructor(bytes: Buffer, at: number, budget: Budget) {
    this.bytes = bytes;
    this.at = at;
    this.#budget = budget;
  }

  /** Reads the next value. Throws when there is none. */
  value(depth = 0): Value {
    if (depth > MAX_DEPTH) throw new PdfRefusal('too_complex', 'nested too deep');
    this.#budget.spend('values', 1);
    this.skipWhite();
    const byte = this.bytes[this.at];
    if (byte === undefined) throw damaged('ends inside a value');
    if (byte === SLASH) return this.#name();
    if (byte === OPEN) return this.#literal();
    if (byte === OPEN_ARRAY) return this.#array(depth);
    if (byte === LESS) return this.bytes[this.at + 1] === LESS ? this.#dict(depth) : this.#hex();
    if (isDigit(byte) || byte === 43 || byte === 45 || byte === 46) return this.#numberOrRef();
    const word = this.word();
    if (word === 'null') return null;
    if (word === 'true' || word === 'false') return word === 'true';
    throw damaged('no value where one is expected');
  }

  /** Reads `12 0 obj` and the value after it, but not the data of a stream. Returns undefined when no object begins here. */
  object(): { num: number; gen: number; value: Value | Stream; end: number } | undefined {
    const num = this.integer();
    const gen = num === undefined ? undefined : this.integer();
    if (num === undefined || gen === undefined || this.word() !== 'obj') return undefined;
    const value = this.value();
    const end = this.at;
    if (!(value instanceof Dict) || this.word() !== 'stream') return { num, gen, value, end };
    if (this.bytes[this.at] === CR) this.at += 1;
    if (this.bytes[this.at] === LF) this.at += 1;
    return { num, gen, value: new Stream(value, this.at), end: this.at };
  }

  /** Reads an integer that is not negative. Returns undefined when there is none. */
  integer(): number | undefined {
    this.skipWhite();
    const start = this.at;
    while (isDigit(this.bytes[this.at])) this.at += 1;
    if (this.at === start || this.at - start > 15) return undefined;
    return Number(this.bytes.toString('latin1', start, this.at));
  }

  /** Reads a number of a content stream, which has no references, and so many numbers that they are limited by its size alone. */
  number(): number {
    const start = this.at;
    this.at += 1;
    while (this.at < this.bytes.length && KINDS[this.bytes[this.at]!] === 0) this.at += 1;
    const text = this.bytes.toString('latin1', start, Math.min(this.at, start + 64));
    const number = Number(text);
    return Number.isFinite(number) ? number : lenientNumber(text);
  }

  /** Reads the next regular characters, at most 32: PDF has no longer keywords. */
  word(): string {
    this.skipWhite();
    const start = this.at;
    while (this.at < this.bytes.length && KINDS[this.bytes[this.at]!] === 0 && this.at - start < 32) this.at += 1;
    return this.bytes.toString('latin1', start, this.at);
  }

  skipWhite(): void {
    for (;;) {
      const byte = this.bytes[this.at];
      if (byte === undefined) return;
      if (byte === PERCENT) while (this.at < this.bytes.length && this.bytes[this.at] !== LF && this.bytes[this.at] !== CR) this.at += 1;
      else if (KINDS[byte] === WHITE) this.at += 1;
      else return;
    }
  }

  #numberOrRef(): Value {
    const start = this.at;
    this.at += 1;
    while (this.at < this.bytes.length && KINDS[this.bytes[this.at]!] === 0) this.at += 1;
    const text = this.bytes.toString('latin1', start, Math.min(this.at, start + 64));
    const number = Number(text);
    if (!isCount(number) || !isDigit(this.bytes[start])) return Number.isFinite(number) ? number : lenientNumber(text);
    return this.#refFrom(number) ?? number;
  }

  /** Returns the reference when a generation number and an R follow the integer, otherwise undefined. */
  #refFrom(num: number): Ref | undefined {
    const back = this.at;
    const gen = this.integer();
    this.skipWhite();
    const isRef = gen !== undefined && this.bytes[this.at] === code('R') && (KINDS[this.bytes[this.at + 1] ?? 32] ?? 0) !== 0;
    if (!isRef) {
      this.at = back;
      return undefined;
    }
    this.at += 1;
    return new Ref(num, gen);
  }

  #name(): Name {
    const start = (this.at += 1);
    while (this.at < this.bytes.length && KINDS[this.bytes[this.at]!] === 0) this.at += 1;
    if (this.at - start > 1024) throw damaged('a name too long');
    const text = this.bytes.toString('latin1', start, this.at);
    return new Name(text.includes('#') ? text.replace(/#([0-9a-fA-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))) : text);
  }

  #array(depth: number): Value[] {
    this.at += 1;
    const items: Value[] = [];
    for (;;) {
      this.skipWhite();
      if (this.bytes[this.at] === CLOSE_ARRAY) break;
      items.push(this.value(depth + 1));
    }
    this.at += 1;
    return items;
  }

  #dict(depth: number): Dict {
    const dict = new Dict(this.bytes, this.at);
    this.at += 2;
    for (;;) {
      this.skipWhite();
      if (this.bytes[this.at] === GREATER && this.bytes[this.at + 1] === GREATER) break;
      if (this.bytes[this.at] !== SLASH) throw damaged('no name where a key is expected');
      this.#entry(dict, depth);
    }
    this.at += 2;
    dict.end = this.at;
    return dict;
  }

  #entry(dict: Dict, depth: number): void {
    const key = this.#name().value;
    this.skipWhite();
    const start = this.at;
    const value = this.value(depth + 1);
    if (dict.entries.has(key)) dict.hasDuplicates = true;
    dict.entries.set(key, { value, start, end: this.at });
  }

  #hex(): Text {
    const end = this.bytes.indexOf(GREATER, this.at);
    if (end < 0) throw damaged('a string without an end');
    const digits = this.bytes.toString('latin1', this.at + 1, end).replace(/[\0\t\n\f\r ]/g, '');
    if (/[^0-9a-fA-F]/.test(digits)) throw damaged('a hexadecimal string with other characters');
    this.at = end + 1;
    return new Text(Buffer.from(digits.length % 2 ? `${digits}0` : digits, 'hex'));
  }

  #literal(): Text {
    const bytes: number[] = [];
    let depth = 1;
    for (this.at += 1; ; this.at += 1) {
      const byte = this.bytes[this.at];
      if (byte === undefined) throw damaged('a string without an end');
      if (byte === BACKSLASH) {
        this.#escape(bytes);
        continue;
      }
      if (byte === OPEN) depth += 1;
      if (byte === CLOSE) depth -= 1;
      if (depth === 0) break;
      bytes.push(byte);
    }
    this.at += 1;
    return new Text(Buffer.from(bytes));
  }

  /** Reads an escape. The position is on the backslash before, and on the last character of the escape after. */
  #escape(bytes: number[]): void {
    this.at += 1;
    const byte = this.bytes[this.at];
    const plain = byte === undefined ? -1 : 'nrtbf'.indexOf(String.fromCharCode(byte));
    if (plain >= 0) bytes.push([10, 13, 9, 8, 12][plain]!);
    else if (byte === CR) this.at += this.bytes[this.at + 1] === LF ? 1 : 0;
    else if (byte !== undefined && byte >= 48 && byte <= 55) bytes.push(this.#octal());
    else if (byte !== undefined && byte !== LF) bytes.push(byte);
  }

  #octal(): number {
    let value = 0;
    for (let digits = 0; digits < 3; digits += 1) {
      const byte = this.bytes[this.at + digits];
      if (byte === undefined || byte < 48 || byte > 55) {
        this.at += digits - 1;
        return value & 0xff;
      }
      value = value * 8 + byte - 48;
    }
    this.at += 2;
    return value & 0xff;
  }
}

/** Reads as much of a number as possible, as other readers do: some producers write `--5` or `1.2.3`. */
const lenientNumber = (text: string) => Number.parseFloat(text.replace(/^[+-]*/, (signs) => (signs.includes('-') ? '-' : ''))) || 0;
