import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { convert } from 'fontverter';
import * as hb from 'harfbuzzjs';
import subsetFont from 'subset-font';

// Each package is named in full where it is resolved, so that the build of images can see that it is needed.
const latin = () => createRequire(import.meta.url).resolve('@embedpdf/fonts-latin');
const hebrew = () => createRequire(import.meta.url).resolve('@embedpdf/fonts-hebrew');
const arabic = () => createRequire(import.meta.url).resolve('@embedpdf/fonts-arabic');
const unifont = () => createRequire(import.meta.url).resolve('@fontsource/unifont/files/unifont-latin-400-normal.woff');
const fontOf = (entry: string, file: string) => join(dirname(entry), '../fonts', file);

/** The fonts, in the order in which they are searched. The last has the whole basic plane, drawn coarsely, and is big. */
const FILES: readonly { name: string; path: () => string }[] = [
  { name: 'NotoSans', path: () => fontOf(latin(), 'NotoSans-Regular.ttf') },
  { name: 'NotoSansHebrew', path: () => fontOf(hebrew(), 'NotoSansHebrew-Regular.ttf') },
  { name: 'NotoNaskhArabic', path: () => fontOf(arabic(), 'NotoNaskhArabic-Regular.ttf') },
  { name: 'Unifont', path: unifont },
];

/** A whole font, and the characters that it has. */
export interface SourceFont {
  name: string;
  data: Buffer;
  characters: ReadonlySet<number>;
}

const loaded = new Map<string, Promise<SourceFont>>();

function load(file: (typeof FILES)[number]): Promise<SourceFont> {
  const known = loaded.get(file.name) ?? read(file);
  loaded.set(file.name, known);
  return known;
}

async function read({ name, path }: (typeof FILES)[number]): Promise<SourceFont> {
  const data = await convert(readFileSync(path()), 'sfnt');
  return { name, data, characters: new Set(faceOf(data).collectUnicodes()) };
}

/** Returns the first font that has all of these characters, or undefined when there is none. */
export async function fontFor(characters: readonly number[]): Promise<SourceFont | undefined> {
  for (const file of FILES) {
    const font = await load(file);
    if (characters.every((character) => font.characters.has(character))) return font;
  }
  return undefined;
}

/** The characters that are enough for most pages, so that their subset is made only once. */
const BASIC = Array.from({ length: 0x250 - 0x20 }, (_, i) => String.fromCodePoint(i + 0x20)).join('');
const basicSubsets = new Map<SourceFont, Promise<Buffer>>();

async function subsetOf(font: SourceFont, text: string): Promise<Buffer> {
  const make = async (characters: string) =>
    Buffer.from(await subsetFont(font.data, characters, { targetFormat: 'sfnt', noHinting: true }));
  if (![...text].every((character) => BASIC.includes(character))) return make(text);
  const known = basicSubsets.get(font) ?? make(BASIC);
  basicSubsets.set(font, known);
  return known;
}

/** The part of a font that a page uses, ready to shape text and to be embedded. */
export class SubsetFont {
  readonly name: string;
  readonly data: Buffer;
  readonly font: hb.Font;
  /** How many units the font's em has. The widths of glyphs are counted in these units. */
  readonly unitsPerEm: number;
  readonly #face: hb.Face;
  /** The natural widths of the glyphs used so far, in thousandths of the font size. */
  readonly widths = new Map<number, number>();
  /** The text that each of these glyphs stands for where it was used first. */
  readonly texts = new Map<number, string>();

  private constructor(name: string, data: Buffer) {
    this.name = name;
    this.data = data;
    this.#face = faceOf(data);
    this.font = new hb.Font(this.#face);
    this.unitsPerEm = this.#face.upem;
  }

  static async of(font: SourceFont, text: string): Promise<SubsetFont> {
    return new SubsetFont(font.name, await subsetOf(font, text));
  }

  table(tag: string): Buffer {
    return Buffer.from(this.#face.referenceTable(tag) ?? []);
  }

  /**
   * Returns the glyphs of a text of one direction, in the order in which they are drawn. A text that the font does not have is never drawn
   * as boxes: whoever chose the font made a mistake.
   */
  shape(text: string, isRightToLeft: boolean): Glyph[] {
    const buffer = new hb.Buffer();
    buffer.addText(text);
    buffer.guessSegmentProperties();
    buffer.setDirection(isRightToLeft ? hb.Direction.RTL : hb.Direction.LTR);
    hb.shape(this.font, buffer);
    const scale = 1000 / this.unitsPerEm;
    const shaped = buffer.getGlyphInfosAndPositions();
    const textAt = textsOfClusters(
      text,
      shaped.map(({ cluster }) => cluster),
    );
    return shaped.map(({ codepoint, cluster, xAdvance = 0, xOffset = 0, yOffset = 0 }) => {
      if (codepoint === 0) throw new Error('A font lacks a character that was to be drawn in it.');
      const width = this.font.glyphHAdvance(codepoint) * scale;
      const shown = textAt(cluster);
      this.widths.set(codepoint, width);
      if (!this.texts.has(codepoint)) this.texts.set(codepoint, shown);
      return { id: codepoint, text: shown, width, advance: xAdvance * scale, dx: xOffset * scale, dy: yOffset * scale };
    });
  }
}

/** Returns which part of a text the next glyph of a cluster stands for: the first glyph for all of the cluster, the others for nothing. */
function textsOfClusters(text: string, clusters: readonly number[]): (cluster: number) => string {
  const starts = [...new Set(clusters)].toSorted((a, b) => a - b);
  const texts = new Map(starts.map((start, nth) => [start, text.slice(start, starts[nth + 1])]));
  return (cluster) => {
    const shown = texts.get(cluster) ?? '';
    texts.delete(cluster);
    return shown;
  };
}

/** One glyph. All numbers but its id are thousandths of the font size. */
export interface Glyph {
  id: number;
  /** The text that the glyph stands for, which is empty when the glyph beside it stands for it too. */
  text: string;
  width: number;
  advance: number;
  dx: number;
  dy: number;
}

const faceOf = (data: Buffer) => new hb.Face(new hb.Blob(new Uint8Array(data)));
