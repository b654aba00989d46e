import type { PdfFile } from '../file/pdf-file.ts';
import { Dict, Name, Stream, type Value } from '../file/values.ts';
import { asRefusal } from '../refusal.ts';
import { type CharacterMap, type CodeRange, finder, readCharacterMap } from './character-map.ts';
import { textOfGlyph } from './glyph-names.ts';
import { standardWidth } from './standard-widths.ts';

/** One code of a string: the text that people read, and how far it moves the pen, in thousandths of the font size. */
interface Code {
  code: number;
  /** How many bytes the code has. */
  length: number;
  text: string;
  width: number;
}

/** A font of a page, as far as reading its text needs it: codes, their texts and their widths. */
export interface PageFont {
  codesOf(bytes: Buffer): Code[];
  /** Why a tag in this font cannot be replaced, if so. */
  obstacle?: string | undefined;
}

/** Reads a font of a page. ISO 32000-1, 9.6 and 9.7. @spec D2-4.3.6 */
export function readFont(file: PdfFile, dict: Dict): PageFont {
  const toUnicode = mapAt(file, dict.get('ToUnicode'));
  return file.nameOf(dict.get('Subtype')) === 'Type0' ? compositeFont(file, dict, toUnicode) : simpleFont(file, dict, toUnicode);
}

/** Reads a map that may be missing. A map that is damaged is as good as none, as it only says what the codes mean. */
function mapAt(file: PdfFile, value: Value | undefined): CharacterMap | undefined {
  const { object: stream } = file.follow(value);
  if (!(stream instanceof Stream)) return undefined;
  try {
    return readCharacterMap(file.contentOf(stream), file.budget);
  } catch (error) {
    const refusal = asRefusal(error);
    if (refusal.reason === 'too_complex') throw refusal;
    return undefined;
  }
}

/** Keeps the codes that were read once: a page has the same ones again and again. */
function remembering(read: (code: number, length: number) => Code): (code: number, length: number) => Code {
  const known = new Map<number, Code>();
  return (code, length) => {
    const key = code * 8 + length;
    const found = known.get(key) ?? read(code, length);
    known.set(key, found);
    return found;
  };
}

function simpleFont(file: PdfFile, dict: Dict, toUnicode: CharacterMap | undefined): PageFont {
  const isDrawn = file.nameOf(dict.get('Subtype')) === 'Type3';
  const encoding = encodingOf(file, dict.get('Encoding'));
  const widthOf = simpleWidths(file, dict, isDrawn ? glyphSpace(file, dict) : 1);
  const codeAt = remembering((code) => {
    const text = (toUnicode?.textOf(code) ?? encoding[code] ?? '').normalize('NFKC');
    return { code, length: 1, text, width: widthOf(code, text) };
  });
  return {
    codesOf: (bytes) => Array.from(bytes, (byte) => codeAt(byte, 1)),
    obstacle: isDrawn ? 'a font of drawings (Type 3)' : undefined,
  };
}

const decodedBytes = (encoding: string) => [...new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, code) => code))];
const WINDOWS = decodedBytes('windows-1252');
/** ICU has no ligatures in this encoding, but PDF does. */
const MACINTOSH = decodedBytes('macintosh').with(0xde, 'fi').with(0xdf, 'fl');
/** The standard encoding has other characters than Windows-1252 above ASCII, and only its ligatures can be part of a tag. */
const STANDARD = WINDOWS.with(0x27, '’').with(0x60, '‘').with(0xae, 'fi').with(0xaf, 'fl');

/** Returns the text of each code. A font's own encoding is taken for the standard one: for the characters of a tag they are the same. */
function encodingOf(file: PdfFile, value: Value | undefined): readonly string[] {
  const encoding = file.resolve(value);
  if (encoding instanceof Name) return baseEncoding(encoding.value);
  if (!(encoding instanceof Dict)) return STANDARD;
  const texts = [...baseEncoding(file.nameOf(encoding.get('BaseEncoding')))];
  const differences = file.resolve(encoding.get('Differences'));
  let code = 0;
  for (const item of Array.isArray(differences) ? differences : []) {
    if (typeof item === 'number') code = item;
    if (!(item instanceof Name)) continue;
    if (code >= 0 && code < 256) texts[code] = textOfGlyph(item.value);
    code += 1;
  }
  return texts;
}

function baseEncoding(name: string | undefined): readonly string[] {
  if (name === 'MacRomanEncoding') return MACINTOSH;
  return name === 'WinAnsiEncoding' ? WINDOWS : STANDARD;
}

/** Returns how many thousandths of the font size one unit of a font of drawings is. Other fonts have thousandths. */
function glyphSpace(file: PdfFile, dict: Dict): number {
  const matrix = file.resolve(dict.get('FontMatrix'));
  return 1000 * ((Array.isArray(matrix) ? numberAt(file, matrix[0]) : undefined) ?? 0.001);
}

function simpleWidths(file: PdfFile, dict: Dict, scale: number): (code: number, text: string) => number {
  const widths = file.resolve(dict.get('Widths'));
  const name = file.nameOf(dict.get('BaseFont')) ?? '';
  if (!Array.isArray(widths)) return (_, text) => standardWidth(name, text);
  const first = numberAt(file, dict.get('FirstChar')) ?? 0;
  const missing = numberAt(file, file.dictOf(dict.get('FontDescriptor'))?.get('MissingWidth')) ?? 0;
  return (code) => (numberAt(file, widths[code - first]) ?? missing) * scale;
}

function compositeFont(file: PdfFile, dict: Dict, toUnicode: CharacterMap | undefined): PageFont {
  const descendants = file.resolve(dict.get('DescendantFonts'));
  const descendant = Array.isArray(descendants) ? file.dictOf(descendants[0]) : undefined;
  const encoding = dict.get('Encoding');
  const name = file.nameOf(encoding) ?? '';
  const own = mapAt(file, encoding);
  const widthOf = compositeWidths(file, descendant);
  const isUnicode = /^Uni.*(?:UCS2|UTF16)/.test(name);
  const codeAt = remembering((code, length) => {
    const text = toUnicode?.textOf(code) ?? (isUnicode ? String.fromCharCode(code) : '');
    return { code, length, text: text.normalize('NFKC'), width: widthOf(own ? own.glyphOf(code) : code) };
  });
  return { codesOf: (bytes) => splitCodes(bytes, own, codeAt), obstacle: compositeObstacle(file, encoding, name, own) };
}

function compositeObstacle(file: PdfFile, encoding: Value | undefined, name: string, own: CharacterMap | undefined): string | undefined {
  const isVertical = name.endsWith('-V') || file.dictOf(encoding)?.get('WMode') === 1;
  if (isVertical) return 'vertical text';
  return own || name === 'Identity-H' ? undefined : 'a font whose widths are not in the file';
}

/** Splits a string into codes of two bytes, or as the font's own map says. */
function splitCodes(bytes: Buffer, own: CharacterMap | undefined, codeAt: (code: number, length: number) => Code): Code[] {
  const codes: Code[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = Math.min(own ? codeLength(bytes, at, own) : 2, bytes.length - at);
    codes.push(codeAt(bytes.readUIntBE(at, length), length));
    at += length;
  }
  return codes;
}

const MAX_CODE_SPACES = 64;

function codeLength(bytes: Buffer, at: number, { codeSpaces }: CharacterMap): number {
  const known = codeSpaces.slice(0, MAX_CODE_SPACES);
  for (let length = 1; length <= 4 && at + length <= bytes.length; length += 1) {
    const code = bytes.readUIntBE(at, length);
    if (known.some((space) => space.length === length && space.from <= code && code <= space.to)) return length;
  }
  return Math.min(4, Math.max(1, known[0]?.length ?? 2));
}

/** Reads the widths of a composite font: `first [width width]` and `first last width`. ISO 32000-1, 9.7.4.3. */
function compositeWidths(file: PdfFile, descendant: Dict | undefined): (glyph: number) => number {
  const otherwise = numberAt(file, descendant?.get('DW')) ?? 1000;
  const list = file.resolve(descendant?.get('W'));
  const items = Array.isArray(list) ? list.map((item) => file.resolve(item)) : [];
  const widths = new Map<number, number>();
  const ranges: CodeRange<number>[] = [];
  for (let at = 0; at + 1 < items.length;) {
    const [first, second, third] = items.slice(at, at + 3);
    if (typeof first === 'number' && Array.isArray(second)) {
      second.forEach((width, nth) => widths.set(first + nth, numberAt(file, width) ?? otherwise));
      at += 2;
    } else {
      if (typeof first === 'number' && typeof second === 'number' && typeof third === 'number') {
        ranges.push({ from: first, to: second, first: third });
      }
      at += 3;
    }
  }
  const find = finder(ranges);
  return (glyph) => widths.get(glyph) ?? find(glyph)?.first ?? otherwise;
}

function numberAt(file: PdfFile, value: Value | undefined): number | undefined {
  const found = value === undefined ? undefined : file.resolve(value);
  return typeof found === 'number' ? found : undefined;
}
