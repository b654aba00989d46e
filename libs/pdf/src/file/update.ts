import { damaged, PdfRefusal } from '../refusal.ts';
import type { PdfFile } from './pdf-file.ts';
import { Dict, isCount, Ref, type Value } from './values.ts';

/** The highest object number that PDF readers accept. */
const MAX_OBJECTS = 8_388_607;

interface Written {
  num: number;
  gen: number;
  offset: number;
}

/** An incremental update: new objects after the last byte of a file, which itself stays unchanged. ISO 32000-1, 7.5.6. */
export class Update {
  readonly #parts: Buffer[] = [];
  readonly #written: Written[] = [];
  readonly #numbers = new Set<number>();
  #length = 0;
  #nextNum: number;

  constructor(readonly file: PdfFile) {
    const { trailer, entries } = file.crossReference;
    const size = trailer.get('Size');
    let highest = isCount(size) ? size - 1 : 0;
    for (const num of entries.keys()) if (num > highest) highest = num;
    if (highest > MAX_OBJECTS - 1000) throw new PdfRefusal('damaged', 'object numbers out of range');
    this.#nextNum = highest + 1;
    this.#append('\n');
  }

  /** The number of bytes that the update has so far, which is where the next object begins. */
  get length(): number {
    return this.#length;
  }

  /** Reserves a number for an object that is written later. */
  reserve(): Ref {
    const ref = new Ref(this.#nextNum, 0);
    this.#nextNum += 1;
    return ref;
  }

  add(...parts: (string | Buffer)[]): Ref {
    const ref = this.reserve();
    this.write(ref, ...parts);
    return ref;
  }

  addStream(entries: string, data: Buffer): Ref {
    return this.add(`<< ${entries} /Length ${data.length} >>\nstream\n`, data, '\nendstream');
  }

  /** Writes an object under its number: a new one, or the new version of one that the file has. */
  write({ num, gen }: Ref, ...parts: (string | Buffer)[]): void {
    if (this.#numbers.has(num)) throw damaged('an object with two roles');
    this.#numbers.add(num);
    this.#written.push({ num, gen, offset: this.file.bytes.length + this.#length - this.file.crossReference.shift });
    this.#append(`${num} ${gen} obj\n`);
    for (const part of parts) this.#append(part);
    this.#append('\nendobj\n');
  }

  /** Returns the bytes to append: the objects, a cross-reference section in the file's own form, and the pointer to older ones. */
  finish(): Buffer {
    const at = this.file.bytes.length + this.#length - this.file.crossReference.shift;
    if (this.file.crossReference.isStream) this.#finishWithStream(at);
    else this.#finishWithTable();
    this.#append(`startxref\n${at}\n%%EOF\n`);
    return Buffer.concat(this.#parts, this.#length);
  }

  #finishWithTable(): void {
    const sections = consecutive(this.#written).map(
      (rows) => `${rows[0]!.num} ${rows.length}\n${rows.map((row) => `${digits(row.offset, 10)} ${digits(row.gen, 5)} n\r\n`).join('')}`,
    );
    this.#append(`xref\n${sections.join('')}trailer\n<< ${this.#trailer()} >>\n`);
  }

  #finishWithStream(at: number): void {
    const own = this.reserve();
    this.#written.push({ num: own.num, gen: 0, offset: at });
    const runs = consecutive(this.#written);
    const rows = runs.flat().map(({ gen, offset }) => {
      const row = Buffer.alloc(7, 1);
      row.writeUInt32BE(offset, 1);
      row.writeUInt16BE(gen, 5);
      return row;
    });
    const index = runs.map((run) => `${run[0]!.num} ${run.length}`).join(' ');
    const entries = `/Type /XRef /W [1 4 2] /Index [${index}] ${this.#trailer()} /Length ${rows.length * 7}`;
    this.#append(`${own.num} 0 obj\n<< ${entries} >>\nstream\n`);
    for (const row of rows) this.#append(row);
    this.#append('\nendstream\nendobj\n');
  }

  #trailer(): string {
    const { trailer, startxref } = this.file.crossReference;
    const kept = ['Root', 'Info', 'ID'].flatMap((key) => {
      const raw = trailer.raw(key);
      return raw ? [`/${key} ${raw.toString('latin1')}\n`] : [];
    });
    return `/Size ${this.#nextNum} /Prev ${startxref} ${kept.join('')}`;
  }

  #append(part: string | Buffer): void {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }
}

/** Returns a dictionary with some entries changed and all others byte for byte unchanged. An entry whose change is undefined is removed. */
export function changed(dict: Dict, changes: Readonly<Record<string, string | undefined>>): Buffer {
  const kept = [...dict.entries.keys()].filter((key) => !Object.hasOwn(changes, key));
  const added = Object.entries(changes).flatMap(([key, text]) => (text === undefined ? [] : [`${writeName(key)} ${text}\n`]));
  return Buffer.concat([
    Buffer.from('<<\n'),
    ...kept.flatMap((key) => [Buffer.from(`${writeName(key)} `, 'latin1'), dict.raw(key)!, Buffer.from('\n')]),
    Buffer.from(`${added.join('')}>>`, 'latin1'),
  ]);
}

export const writeRef = ({ num, gen }: Ref): string => `${num} ${gen} R`;

export const writeName = (name: string): string =>
  `/${name.replace(/[^\w.+-]/g, (character) => `#${character.charCodeAt(0).toString(16).padStart(2, '0')}`)}`;

/** Writes a text string as UTF-16 with its byte order mark, which every reader accepts. */
export const writeText = (text: string): string => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;

/** `D:20261116141500Z` */
export const writeDate = (time: Date): string => `(D:${time.toISOString().replace(/\D/g, '').slice(0, 14)}Z)`;

const digits = (value: number, width: number) => String(value).padStart(width, '0');

/** Sorts the rows by number, and groups those whose numbers follow each other. */
function consecutive(rows: readonly Written[]): Written[][] {
  const runs: Written[][] = [];
  for (const row of rows.toSorted((a, b) => a.num - b.num)) {
    const run = runs.at(-1);
    if (run && run.at(-1)!.num + 1 === row.num) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

/** Writes the items of an array of objects, followed by more references. */
export function writeItems(items: readonly Value[], more: readonly Ref[]): string {
  const written = [...items, ...more].flatMap((item) => {
    if (item instanceof Ref) return [writeRef(item)];
    return item instanceof Dict ? [item.source.toString('latin1', item.start, item.end)] : [];
  });
  return written.join(' ');
}
