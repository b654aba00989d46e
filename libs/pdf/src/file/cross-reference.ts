import type { Budget } from '../limits.ts';
import { damaged, PdfRefusal } from '../refusal.ts';
import { decoded } from './inflate.ts';
import { Parser } from './parser.ts';
import { Dict, isCount, Name, Stream } from './values.ts';

/** Where an object is: at an offset of the file, or in an object stream. A free number has no object. */
type Entry = { kind: 'free' } | { kind: 'at'; offset: number; gen: number } | { kind: 'in'; stream: number; index: number };

/** The positions of all objects, and the newest trailer. */
export interface CrossReference {
  entries: ReadonlyMap<number, Entry>;
  trailer: Dict;
  /** The offset that `startxref` names: the next update points back to it. */
  startxref: number;
  /** Whether the newest section is a stream: an update is written in the same form as the file. */
  isStream: boolean;
  /** The number of bytes before `%PDF` when offsets are counted from there, otherwise 0. */
  shift: number;
}

/** How many bytes may stand before `%PDF` and after the last `%%EOF`. Other readers use the same number for the first. */
const MAX_JUNK = 1024;
const FREE: Entry = { kind: 'free' };

/** Reads the cross-reference sections, newest first. A file that needs repair is refused as damaged. ISO 32000-1, 7.5. */
export function readCrossReference(bytes: Buffer, budget: Budget): CrossReference {
  const header = bytes.subarray(0, MAX_JUNK + 5).indexOf('%PDF-');
  if (header < 0) throw new PdfRefusal('not_pdf', 'no header');
  const startxref = readStartxref(bytes, budget);
  const shift = shiftOf(bytes, header, startxref, budget);
  const reader = new SectionReader(bytes, shift, budget);
  const newest = reader.readAll(startxref);
  return { entries: reader.entries, trailer: newest.dict, startxref, isStream: newest.isStream, shift };
}

function readStartxref(bytes: Buffer, budget: Budget): number {
  const from = Math.max(0, bytes.length - MAX_JUNK - 64);
  const at = bytes.subarray(from).lastIndexOf('startxref');
  const value = at < 0 ? undefined : new Parser(bytes, from + at + 'startxref'.length, budget).integer();
  if (value === undefined) throw damaged('no startxref at the end');
  return value;
}

/**
 * Returns what has to be added to the file's offsets. When bytes stand before the header, some producers count offsets from the header and
 * some from the first byte. An offset that meets a section exactly decides, so that the end of the word "startxref" is not taken for
 * "xref". An offset that meets white space before a section comes second.
 */
function shiftOf(bytes: Buffer, header: number, startxref: number, budget: Budget): number {
  const isExact = (at: number) => /^\s[x\d]$/.test(bytes.toString('latin1', at - 1, at + 1)) && isSection(bytes, at, budget);
  if (header === 0 || isExact(startxref)) return 0;
  return isExact(startxref + header) || !isSection(bytes, startxref, budget) ? header : 0;
}

/** Whether a cross-reference section begins here, a table or a stream. */
function isSection(bytes: Buffer, at: number, budget: Budget): boolean {
  const parser = new Parser(bytes, at, budget);
  if (parser.word() === 'xref') return true;
  parser.at = at;
  try {
    const value = parser.object()?.value;
    const type = value instanceof Stream ? value.dict.get('Type') : undefined;
    return type instanceof Name && type.value === 'XRef';
  } catch {
    return false; // something else stands there
  }
}

interface Section {
  dict: Dict;
  isStream: boolean;
}

class SectionReader {
  readonly entries = new Map<number, Entry>();
  readonly #bytes: Buffer;
  readonly #shift: number;
  readonly #budget: Budget;
  readonly #seen = new Set<number>();

  constructor(bytes: Buffer, shift: number, budget: Budget) {
    this.#bytes = bytes;
    this.#shift = shift;
    this.#budget = budget;
  }

  readAll(startxref: number): Section {
    const newest = this.#section(startxref);
    for (let prev = newest.dict.get('Prev'); prev !== undefined;) {
      if (!isCount(prev)) throw damaged('Prev is no place');
      prev = this.#section(prev).dict.get('Prev');
    }
    return newest;
  }

  #section(offset: number): Section {
    if (this.#seen.has(offset)) throw damaged('cross-reference sections in a loop');
    this.#seen.add(offset);
    this.#budget.spend('sections', 1);
    const parser = new Parser(this.#bytes, offset + this.#shift, this.#budget);
    if (parser.word() === 'xref') return { dict: this.#table(parser), isStream: false };
    parser.at = offset + this.#shift;
    return { dict: this.#stream(parser), isStream: true };
  }

  #table(parser: Parser): Dict {
    const own = new Set<number>();
    for (;;) {
      const first = parser.integer();
      if (first === undefined) break;
      const count = parser.integer();
      if (count === undefined) throw damaged('a subsection without a count');
      for (let num = first; num < first + count; num += 1) this.#row(parser, num, own);
    }
    if (parser.word() !== 'trailer') throw damaged('no trailer behind the cross-reference table');
    const dict = parser.value();
    if (!(dict instanceof Dict)) throw damaged('a trailer that is no dictionary');
    this.#hidden(dict, own);
    return dict;
  }

  #row(parser: Parser, num: number, own: Set<number>): void {
    this.#budget.spend('entries', 1);
    const offset = parser.integer();
    const gen = parser.integer();
    const kind = parser.word();
    if (offset === undefined || gen === undefined || (kind !== 'n' && kind !== 'f')) throw damaged('a row of the cross-reference table');
    if (this.entries.has(num)) return;
    own.add(num);
    this.entries.set(num, kind === 'n' && offset > 0 ? { kind: 'at', offset: offset + this.#shift, gen } : FREE);
  }

  /** Reads the stream of a hybrid file, whose table marks its objects as free for older readers. ISO 32000-1, 7.5.8.4. */
  #hidden(trailer: Dict, own: ReadonlySet<number>): void {
    const at = trailer.get('XRefStm');
    if (at === undefined) return;
    if (!isCount(at)) throw damaged('XRefStm is no place');
    this.#budget.spend('sections', 1);
    const mayReplace = (num: number) => own.has(num) && this.entries.get(num)?.kind === 'free';
    this.#stream(new Parser(this.#bytes, at + this.#shift, this.#budget), mayReplace);
  }

  #stream(parser: Parser, mayReplace: (num: number) => boolean = () => false): Dict {
    const found = parser.object();
    if (!(found?.value instanceof Stream)) throw damaged('no cross-reference section where one is expected');
    const { dict, dataStart } = found.value;
    const length = dict.get('Length');
    if (!isCount(length) || dataStart + length > this.#bytes.length) throw damaged('a cross-reference stream without a length');
    const data = decoded(this.#bytes.subarray(dataStart, dataStart + length), dict, this.#budget);
    const widths = widthsOf(dict);
    const row = widths[0] + widths[1] + widths[2];
    let at = 0;
    for (const [first, count] of rangesOf(dict)) {
      for (let num = first; num < first + count && at + row <= data.length; num += 1, at += row) {
        this.#budget.spend('entries', 1);
        if (!this.entries.has(num) || mayReplace(num)) this.entries.set(num, this.#streamRow(data, at, widths));
      }
    }
    return dict;
  }

  #streamRow(data: Buffer, at: number, [w0, w1, w2]: Widths): Entry {
    const kind = w0 === 0 ? 1 : field(data, at, w0);
    const second = field(data, at + w0, w1);
    const third = field(data, at + w0 + w1, w2);
    if (kind === 1) return { kind: 'at', offset: second + this.#shift, gen: third };
    return kind === 2 ? { kind: 'in', stream: second, index: third } : FREE;
  }
}

type Widths = readonly [number, number, number];

function widthsOf(dict: Dict): Widths {
  const widths = dict.get('W');
  const isGood = Array.isArray(widths) && widths.length >= 3 && widths.slice(0, 3).every((width) => isCount(width) && width <= 6);
  if (!isGood || (widths[1] as number) === 0) throw damaged('a cross-reference stream without widths');
  return widths.slice(0, 3) as unknown as Widths;
}

function rangesOf(dict: Dict): [number, number][] {
  const index = dict.get('Index') ?? [0, dict.get('Size') ?? 0];
  if (!Array.isArray(index) || index.length % 2 || !index.every(isCount)) throw damaged('a cross-reference stream with a bad index');
  const numbers = index as number[];
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i]!, numbers[2 * i + 1]!]);
}

const field = (data: Buffer, at: number, width: number) => (width === 0 ? 0 : data.readUIntBE(at, width));
