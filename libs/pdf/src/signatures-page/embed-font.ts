import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { writeRef, type Update } from '../file/update.ts';
import type { Ref } from '../file/values.ts';
import type { SubsetFont } from './fonts.ts';

/**
 * Writes a font into an update. The page refers to glyphs by number. The font says which text each of them stands for; where that depends
 * on the glyphs around it, the page gives the text beside them (`ActualText`). ISO 32000-1, 9.7.
 */
export function embedFont(update: Update, font: SubsetFont): Ref {
  const name = `/${tagOf(font.data)}+${font.name}`;
  const program = update.addStream(`/Filter /FlateDecode /Length1 ${font.data.length}`, deflateSync(font.data));
  const descriptor = update.add(descriptorOf(font, name, program));
  const widths = [...font.widths].toSorted(([a], [b]) => a - b).map(([id, width]) => `${id} [${decimal(width)}]`);
  const system = '/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>';
  const descendant = update.add(
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont ${name} ${system} /FontDescriptor ${writeRef(descriptor)} ` +
      `/DW 1000 /W [${widths.join(' ')}] /CIDToGIDMap /Identity >>`,
  );
  const texts = update.addStream('/Filter /FlateDecode', deflateSync(toUnicode(font.texts)));
  return update.add(
    `<< /Type /Font /Subtype /Type0 /BaseFont ${name} /Encoding /Identity-H /DescendantFonts [${writeRef(descendant)}] ` +
      `/ToUnicode ${writeRef(texts)} >>`,
  );
}

/** A section of a character map has at most this many rows. */
const MAX_ROWS = 100;

/** Returns the character map from glyphs to their texts. ISO 32000-1, 9.10.3. */
function toUnicode(texts: ReadonlyMap<number, string>): string {
  const hex = (id: number) => id.toString(16).padStart(4, '0');
  const rows = [...texts]
    .filter(([, text]) => text !== '')
    .toSorted(([a], [b]) => a - b)
    .map(([id, text]) => `<${hex(id)}> <${Buffer.from(text, 'utf16le').swap16().toString('hex')}>\n`);
  const sections = Array.from({ length: Math.ceil(rows.length / MAX_ROWS) }, (_, nth) => {
    const section = rows.slice(nth * MAX_ROWS, (nth + 1) * MAX_ROWS);
    return `${section.length} beginbfchar\n${section.join('')}endbfchar\n`;
  });
  return [
    '/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n',
    '1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n',
    ...sections,
    'endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend',
  ].join('');
}

function descriptorOf(font: SubsetFont, name: string, program: Ref): string {
  const scaled = (table: Buffer, at: number) => decimal((table.readInt16BE(at) * 1000) / font.unitsPerEm);
  const [head, hhea] = [font.table('head'), font.table('hhea')];
  const box = [36, 38, 40, 42].map((at) => scaled(head, at)).join(' ');
  const heights = `/Ascent ${scaled(hhea, 4)} /Descent ${scaled(hhea, 6)} /CapHeight 700`;
  const shape = `/Flags 4 /FontBBox [${box}] /ItalicAngle 0 ${heights} /StemV 80`;
  return `<< /Type /FontDescriptor /FontName ${name} ${shape} /FontFile2 ${writeRef(program)} >>`;
}

/** Returns six letters that distinguish the subsets of one font from each other. */
const tagOf = (data: Buffer) =>
  [...createHash('sha256').update(data).digest().subarray(0, 6)].map((byte) => String.fromCharCode(65 + (byte % 26))).join('');

export const decimal = (value: number): string => String(Math.round(value * 100) / 100);
