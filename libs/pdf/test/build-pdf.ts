import { deflateSync } from 'node:zlib';

/** How the cross-reference of a built PDF is written. */
type Form = 'table' | 'stream' | 'hybrid';

export interface BuildOptions {
  form?: Form;
  /** Text before `%PDF`. `offsetsFrom` says whether offsets count from `%PDF` or from the first byte. */
  junkBefore?: string;
  offsetsFrom?: 'header' | 'file';
  junkAfter?: string;
  /** Written into the catalog. */
  catalog?: string;
  /** Written into the trailer. */
  trailer?: string;
  /** Objects by their number, instead of or beside those of the smallest document. */
  objects?: Readonly<Record<number, string>>;
  /** Objects that go into an object stream, with the forms that have one. */
  compressed?: readonly number[];
}

const CONTENT = 'BT /F1 24 Tf 72 720 Td (A contract) Tj ET';

const SMALLEST: Readonly<Record<number, string>> = {
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
  4: `<< /Length ${CONTENT.length} >>\nstream\n${CONTENT}\nendstream`,
  5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
};

/** A small PDF with one page, in the form that a test needs. */
export function buildPdf(options: BuildOptions = {}): Buffer {
  const { form = 'table', junkBefore = '', offsetsFrom = 'header', junkAfter = '', catalog = '', trailer = '' } = options;
  const objects = { ...SMALLEST, ...options.objects };
  if (catalog) objects[1] = objects[1]!.replace(/>>$/, `${catalog} >>`);
  const compressed = form === 'table' ? [] : (options.compressed ?? [1, 2, 3]).filter((num) => num in objects);
  const out = new Writer(junkBefore, offsetsFrom === 'header' ? junkBefore.length : 0);
  out.text('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n');
  for (const num of numbers(objects)) if (!compressed.includes(num)) out.object(num, objects[num]!);
  const size = Math.max(...numbers(objects)) + 1;
  const entries = `/Root 1 0 R /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] ${trailer}`;
  if (form === 'table') out.table(size, entries);
  else writeStreams(out, { form, size, entries, compressed, objects });
  out.text(junkAfter);
  return out.bytes();
}

const numbers = (objects: object) => Object.keys(objects).map(Number);

function writeStreams(
  out: Writer,
  given: { form: Form; size: number; entries: string; compressed: readonly number[]; objects: Readonly<Record<number, string>> },
): void {
  const { form, size, entries, compressed, objects } = given;
  const bodies = compressed.map((num) => objects[num]!);
  const starts = bodies.map((_, i) => bodies.slice(0, i).reduce((sum, body) => sum + body.length + 1, 0));
  const head = compressed.map((num, i) => `${num} ${starts[i]}`).join(' ');
  const data = deflateSync(Buffer.from(`${head} ${bodies.join(' ')}`, 'latin1'));
  out.stream(size, `/Type /ObjStm /N ${compressed.length} /First ${head.length + 1} /Filter /FlateDecode`, data);
  const own = size + 1;
  const at = out.at;
  const rows = Array.from({ length: size + 2 }, (_, num) => {
    const index = compressed.indexOf(num);
    if (index >= 0) return row(2, size, index);
    return num === own ? row(1, at, 0) : row(out.offsets.has(num) ? 1 : 0, out.offsets.get(num) ?? 0, 0);
  });
  const kind = `/Type /XRef /W [1 4 2] /Size ${size + 2} /Filter /FlateDecode`;
  out.stream(own, form === 'stream' ? `${kind} ${entries}` : kind, deflateSync(Buffer.concat(rows)));
  if (form === 'stream') out.end(at);
  else out.table(size + 2, `${entries} /XRefStm ${at}`);
}

function row(kind: number, second: number, third: number): Buffer {
  const bytes = Buffer.alloc(7, kind);
  bytes.writeUInt32BE(second, 1);
  bytes.writeUInt16BE(third, 5);
  return bytes;
}

class Writer {
  readonly offsets = new Map<number, number>();
  readonly #parts: Buffer[] = [];
  readonly #shift: number;
  #length = 0;

  constructor(before: string, shift: number) {
    this.#shift = shift;
    this.text(before);
  }

  get at(): number {
    return this.#length - this.#shift;
  }

  text(text: string): void {
    this.#put(Buffer.from(text, 'latin1'));
  }

  object(num: number, body: string): void {
    this.offsets.set(num, this.at);
    this.text(`${num} 0 obj\n${body}\nendobj\n`);
  }

  stream(num: number, entries: string, data: Buffer): void {
    this.offsets.set(num, this.at);
    this.text(`${num} 0 obj\n<< ${entries} /Length ${data.length} >>\nstream\n`);
    this.#put(data);
    this.text('\nendstream\nendobj\n');
  }

  table(size: number, entries: string): void {
    const at = this.at;
    const rows = Array.from({ length: size }, (_, num) => {
      const offset = this.offsets.get(num);
      return offset === undefined ? '0000000000 65535 f\r\n' : `${String(offset).padStart(10, '0')} 00000 n\r\n`;
    });
    this.text(`xref\n0 ${size}\n${rows.join('')}trailer\n<< /Size ${size} ${entries} >>\n`);
    this.end(at);
  }

  end(at: number): void {
    this.text(`startxref\n${at}\n%%EOF\n`);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #put(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }
}
