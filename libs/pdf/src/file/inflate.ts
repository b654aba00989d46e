import { constants, inflateSync } from 'node:zlib';
import type { Budget } from '../limits.ts';
import { damaged, PdfRefusal } from '../refusal.ts';
import { Dict, isCount, Name, type Value } from './values.ts';

/** Returns the decoded content of a stream of the file's structure, limited in size before it is made. ISO 32000-1, 7.4. */
export function decoded(data: Buffer, dict: Dict, budget: Budget): Buffer {
  const filters = list(dict.get('Filter'));
  if (filters.length > 1) throw new PdfRefusal('unsupported_filter', 'a structure behind several filters');
  const [filter] = filters;
  if (filter === undefined) return data;
  return unfiltered(data, filter, list(dict.get('DecodeParms'))[0], budget);
}

function unfiltered(data: Buffer, filter: Value, parameter: Value | undefined, budget: Budget): Buffer {
  if (!(filter instanceof Name) || !['FlateDecode', 'Fl'].includes(filter.value)) {
    throw new PdfRefusal('unsupported_filter', 'a structure behind another filter than FlateDecode');
  }
  const inflated = inflate(data, budget);
  return parameter instanceof Dict ? withoutPredictor(inflated, parameter, budget) : inflated;
}

const MAX_FILTERS = 4;
/** The filters of text: binary data in characters that can be printed. */
const TEXT_FILTERS: ReadonlyMap<string, (data: Buffer) => Buffer> = new Map([
  ['ASCIIHexDecode', withoutHex],
  ['AHx', withoutHex],
  ['ASCII85Decode', withoutBase85],
  ['A85', withoutBase85],
]);

/** Returns the decoded content of a page's stream, which may be text or behind several filters, named by objects of their own. */
export function decodedContent(data: Buffer, dict: Dict, budget: Budget, resolve: (value: Value | undefined) => Value): Buffer {
  const resolvedList = (key: string) => list(resolve(dict.get(key))).map(resolve);
  const [filters, parameters] = [resolvedList('Filter'), resolvedList('DecodeParms')];
  if (filters.length > MAX_FILTERS) throw new PdfRefusal('unsupported_filter', 'content behind too many filters');
  return filters.reduce<Buffer>((bytes, filter, nth) => {
    const asText = filter instanceof Name ? TEXT_FILTERS.get(filter.value) : undefined;
    if (!asText) return unfiltered(bytes, filter, parameters[nth], budget);
    budget.spend('inflatedBytes', bytes.length);
    return asText(bytes);
  }, data);
}

function withoutHex(data: Buffer): Buffer {
  const digits = data.toString('latin1', 0, endOf(data, '>')).replace(/[^0-9a-fA-F]/g, '');
  return Buffer.from(digits.length % 2 ? `${digits}0` : digits, 'hex');
}

/** Reads groups of five digits of base 85, `!` to `u`, as four bytes each. Some producers begin with `<~`. ISO 32000-1, 7.4.3. */
function withoutBase85(data: Buffer): Buffer {
  const begun = data.subarray(/^\s*<~/.exec(data.toString('latin1', 0, 64))?.[0].length ?? 0);
  const out = Buffer.alloc(4 * begun.length);
  let [length, group, digits] = [0, 0, 0];
  for (const byte of begun.subarray(0, endOf(begun, '~'))) {
    if (byte === 0x7a && digits === 0) length += 4; // z: four zeros
    if (byte < 33 || byte > 117) continue;
    group = group * 85 + byte - 33;
    digits += 1;
    if (digits < 5) continue;
    out.writeUInt32BE(group % 0x1_0000_0000, length);
    [length, group, digits] = [length + 4, 0, 0];
  }
  if (digits < 2) return out.subarray(0, length);
  for (let missing = digits; missing < 5; missing += 1) group = group * 85 + 84;
  out.writeUInt32BE(group % 0x1_0000_0000, length);
  return out.subarray(0, length + digits - 1);
}

function endOf(data: Buffer, mark: string): number {
  const end = data.indexOf(mark);
  return end < 0 ? data.length : end;
}

const list = (value: Value | undefined): Value[] => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]);

function inflate(data: Buffer, budget: Budget): Buffer {
  try {
    // Streams without their end or checksum are common, and the bytes that were inflated until then are good.
    const inflated = inflateSync(data, { maxOutputLength: Math.max(1, budget.inflatable), finishFlush: constants.Z_SYNC_FLUSH });
    budget.spend('inflatedBytes', inflated.length);
    return inflated;
  } catch (error) {
    if (error instanceof PdfRefusal) throw error;
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw new PdfRefusal('too_complex', 'inflates to too much');
    throw damaged('a stream that does not inflate');
  }
}

function withoutPredictor(data: Buffer, parameters: Dict, budget: Budget): Buffer {
  const number = (key: string, otherwise: number) => {
    const value = parameters.get(key) ?? otherwise;
    if (!isCount(value) || value > 65_536) throw damaged('a predictor out of range');
    return value;
  };
  const predictor = number('Predictor', 1);
  if (predictor < 2) return data;
  if (predictor < 10) throw new PdfRefusal('unsupported_filter', 'the TIFF predictor on a structure');
  const bits = number('Colors', 1) * number('BitsPerComponent', 8);
  const row = Math.ceil((number('Columns', 1) * bits) / 8);
  if (row === 0) throw damaged('a predictor without columns');
  budget.spend('inflatedBytes', data.length);
  return unpredicted(data, row, Math.max(1, bits >> 3));
}

/** Undoes the PNG filters: the first byte of each row says how the row differs from the bytes to its left and above it. */
function unpredicted(data: Buffer, row: number, pixel: number): Buffer {
  const rows = Math.ceil(data.length / (row + 1));
  const out = Buffer.alloc(rows * row);
  for (let r = 0; r < rows; r += 1) {
    const from = r * (row + 1);
    const to = r * row;
    const kind = data[from]!;
    for (let i = 0; i < row && from + 1 + i < data.length; i += 1) {
      const left = i >= pixel ? out[to + i - pixel]! : 0;
      const up = r > 0 ? out[to + i - row]! : 0;
      const corner = r > 0 && i >= pixel ? out[to + i - row - pixel]! : 0;
      out[to + i] = data[from + 1 + i]! + guess(kind, left, up, corner);
    }
  }
  return out;
}

function guess(kind: number, left: number, up: number, corner: number): number {
  if (kind === 0) return 0;
  if (kind === 1) return left;
  if (kind === 2) return up;
  if (kind === 3) return (left + up) >> 1;
  const all = left + up - corner;
  const [a, b, c] = [Math.abs(all - left), Math.abs(all - up), Math.abs(all - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
