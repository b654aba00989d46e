import { Text, type Value } from '../file/values.ts';
import type { Budget } from '../limits.ts';
import { operatorsOf, type Operator } from './content-operators.ts';

/** Codes that follow each other, and what the first of them means. */
export interface CodeRange<T> {
  from: number;
  to: number;
  first: T;
}

/** A map of a font: from codes to text (`ToUnicode`), or from codes to the numbers of its glyphs. ISO 32000-1, 9.7.5 and 9.10.3. */
export interface CharacterMap {
  /** Returns the text of a code, or undefined when the map does not have it. */
  textOf(code: number): string | undefined;
  glyphOf(code: number): number;
  /** How long a code is, by its length in bytes. */
  codeSpaces: readonly (CodeRange<null> & { length: number })[];
}

/** Reads a map. What stands in it beside the sections with codes is passed over. */
export function readCharacterMap(content: Buffer, budget: Budget): CharacterMap {
  const texts = new Map<number, string>();
  const textRanges: CodeRange<string>[] = [];
  const glyphRanges: CodeRange<number>[] = [];
  const codeSpaces: (CodeRange<null> & { length: number })[] = [];
  for (const { name, operands } of operatorsOf(content, budget)) {
    if (name === 'endbfchar') for (const [code, text] of groups(operands, 2)) texts.set(numberOf(code), textOf(text));
    if (name === 'endbfrange') for (const [from, to, first] of groups(operands, 3)) addTexts(texts, textRanges, from, to, first);
    if (name === 'endcidrange') {
      for (const [from, to, first] of groups(operands, 3))
        glyphRanges.push({ from: numberOf(from), to: numberOf(to), first: Number(first) });
    }
    if (name === 'endcidchar') {
      for (const [code, glyph] of groups(operands, 2)) glyphRanges.push({ from: numberOf(code), to: numberOf(code), first: Number(glyph) });
    }
    if (name === 'endcodespacerange') {
      for (const [from, to] of groups(operands, 2)) {
        if (from instanceof Text) codeSpaces.push({ from: numberOf(from), to: numberOf(to), first: null, length: from.bytes.length });
      }
    }
  }
  const [findText, findGlyph] = [finder(textRanges), finder(glyphRanges)];
  return {
    textOf: (code) => texts.get(code) ?? textIn(findText(code), code),
    glyphOf: (code) => {
      const range = findGlyph(code);
      return range ? range.first + code - range.from : 0;
    },
    codeSpaces,
  };
}

function* groups(operands: Operator['operands'], size: number): Generator<readonly Value[]> {
  for (let at = 0; at + size <= operands.length; at += size) yield operands.slice(at, at + size);
}

function addTexts(texts: Map<number, string>, ranges: CodeRange<string>[], from?: Value, to?: Value, first?: Value): void {
  const start = numberOf(from);
  if (Array.isArray(first)) first.forEach((text, nth) => texts.set(start + nth, textOf(text)));
  else ranges.push({ from: start, to: numberOf(to), first: textOf(first) });
}

const numberOf = (code: Value | undefined) =>
  code instanceof Text ? code.bytes.subarray(0, 4).reduce((sum, byte) => sum * 256 + byte, 0) : -1;

/** Texts are UTF-16. A text of one byte is a mistake of some producers, and means what it says. */
function textOf(value: Value | undefined): string {
  if (!(value instanceof Text)) return '';
  const bytes = value.bytes.subarray(0, 64);
  return bytes.length === 1
    ? bytes.toString('latin1')
    : Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le');
}

function textIn(range: CodeRange<string> | undefined, code: number): string | undefined {
  if (!range || range.first === '') return undefined;
  const last = range.first.length - 1;
  return range.first.slice(0, last) + String.fromCharCode(range.first.charCodeAt(last) + code - range.from);
}

/** Returns a search for the range that has a code. */
export function finder<T>(ranges: readonly CodeRange<T>[]): (code: number) => CodeRange<T> | undefined {
  const sorted = ranges.toSorted((a, b) => a.from - b.from);
  return (code) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]!.from <= code) low = middle + 1;
      else high = middle;
    }
    const found = sorted[low - 1];
    return found && code <= found.to ? found : undefined;
  };
}
