import { constants, inflateSync } from 'node:zlib';
import type { Budget } from '../limits.ts';
import { damaged, PdfRefusal } from '../refusal.ts';
import { Dict, isCount, Name, type Value } from './values.ts';

/** Returns the decoded content of a stream. The size of the output is limited before any of it is made. ISO 32000-1, 7.4. */
export function decoded(data: Buffer, dict: Dict, budget: Budget): Buffer {
  const filters = list(dict.get('Filter'));
  const parameters = list(dict.get('DecodeParms'));
  if (filters.length > 1) throw new PdfRefusal('unsupported_filter', 'a structure behind several filters');
  const [filter] = filters;
  if (filter === undefined) return data;
  if (!(filter instanceof Name) || !['FlateDecode', 'Fl'].includes(filter.value)) {
    throw new PdfRefusal('unsupported_filter', 'a structure behind another filter than FlateDecode');
  }
  const [parameter] = parameters;
  const inflated = inflate(data, budget);
  return parameter instanceof Dict ? withoutPredictor(inflated, parameter, budget) : inflated;
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
