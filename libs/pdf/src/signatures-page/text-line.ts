import bidiFactory from 'bidi-js';
import { fontFor, SubsetFont, type Glyph, type SourceFont } from './fonts.ts';

/** The types of the package describe a module with the function as a member, but Node imports the function itself. */
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();

/** A piece of a line in one font and one direction. */
export interface Run {
  font: SubsetFont;
  glyphs: Glyph[];
}

/** Control characters, and characters that change the direction of the following text: a name must not move the words beside it. */
const INVISIBLE = /(?!\s)\p{Cc}|[\u200b\u200e\u200f\u061c\u202a-\u202e\u2060-\u206f\ufeff]/gu;
/** A space at which no line is broken. It is printed as any other space. */
export const NO_BREAK_SPACE = '\u00a0';
const ONLY_NO_BREAK_SPACES = /^[\u00a0\u2007\u202f]+$/u;

/**
 * Returns what is printed of a text: one line, in composed form, without invisible characters. These are removed first, as letters and
 * their marks are composed only when nothing stands between them.
 */
export const visible = (text: string): string =>
  text
    .replace(INVISIBLE, '')
    .normalize('NFC')
    .replace(/\s+/gu, (spaces) => (ONLY_NO_BREAK_SPACES.test(spaces) ? NO_BREAK_SPACE : ' '))
    .trim();

const withSpaces = (text: string) => text.replaceAll(NO_BREAK_SPACE, ' ');

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Joiners and variation selectors say how a character is drawn, so a font does not need to have them. */
const isMark = (character: number) =>
  character === 0x200c ||
  character === 0x200d ||
  (character >= 0xfe00 && character <= 0xfe0f) ||
  (character >= 0xe0100 && character <= 0xe01ef);

/** All fonts that some texts need, each reduced to the characters of those texts. */
export class TextFonts {
  readonly #fontOf: ReadonlyMap<string, SubsetFont>;
  /** What is drawn in place of a letter with marks that no font has as a whole. */
  readonly #shownAs: ReadonlyMap<string, readonly string[]>;
  readonly all: readonly SubsetFont[];
  readonly #widths = new Map<string, number>();
  readonly #words = new Map<string, readonly string[]>();

  private constructor(fontOf: Map<string, SubsetFont>, shownAs: Map<string, readonly string[]>, all: SubsetFont[]) {
    this.#fontOf = fontOf;
    this.#shownAs = shownAs;
    this.all = all;
  }

  static async of(texts: readonly string[]): Promise<TextFonts> {
    const shownAs = new Map<string, readonly string[]>();
    const sources = new Map<SourceFont, Set<string>>();
    const clusters = new Set(texts.flatMap((text) => [...graphemes.segment(withSpaces(visible(text)))].map(({ segment }) => segment)));
    for (const cluster of clusters) {
      const pieces = await piecesOf(cluster);
      const drawn = pieces.map(({ text }) => text);
      if (drawn[0] !== cluster) shownAs.set(cluster, drawn);
      for (const { text, font } of pieces) sources.set(font, (sources.get(font) ?? new Set()).add(text));
    }
    return TextFonts.#subset(sources, shownAs);
  }

  static async #subset(sources: ReadonlyMap<SourceFont, ReadonlySet<string>>, shownAs: Map<string, readonly string[]>): Promise<TextFonts> {
    const fontOf = new Map<string, SubsetFont>();
    const all: SubsetFont[] = [];
    for (const [source, clusters] of sources) {
      const font = await SubsetFont.of(source, `${[...clusters].join('')} `);
      all.push(font);
      for (const cluster of clusters) fontOf.set(cluster, font);
    }
    return new TextFonts(fontOf, shownAs, all);
  }

  /**
   * Breaks a text into lines of at most this width: at spaces, and inside words that are wider when they may be split. A word that may not
   * be split is a line that is too wide. Widths are in thousandths of the font size.
   */
  wrap(text: string, width: number, maySplit: (word: string) => boolean = () => true): string[] {
    const words = this.#wordsOf(text).flatMap((word) => (maySplit(word) ? this.#pieces(word, width) : [word]));
    const lines: string[] = [];
    let used = Infinity;
    for (const word of words) {
      const needed = this.#width(word) + this.#width(' ');
      if (used + needed > width + this.#width(' ')) {
        lines.push(word);
        used = needed;
      } else {
        lines[lines.length - 1] += ` ${word}`;
        used += needed;
      }
    }
    return lines.map(withSpaces);
  }

  /** Returns the words between the spaces at which a line may be broken. A space that carries a mark is not one. */
  #wordsOf(text: string): readonly string[] {
    const known = this.#words.get(text);
    if (known) return known;
    const words = [''];
    for (const { segment } of graphemes.segment(visible(text))) {
      if (segment === ' ') words.push('');
      else words[words.length - 1] += segment;
    }
    this.#words.set(text, words);
    return words;
  }

  /** Splits a word into pieces that fit the width. */
  #pieces(word: string, width: number): string[] {
    if (this.#width(word) <= width) return [word];
    const pieces = [''];
    let left = width;
    for (const { segment } of graphemes.segment(word)) {
      const needed = this.#width(segment);
      if (needed > left && pieces.at(-1) !== '') {
        pieces.push('');
        left = width;
      }
      pieces[pieces.length - 1] += segment;
      left -= needed;
    }
    return pieces;
  }

  /** Returns the width of a word. The width of a line is the sum of its words and the spaces between them. */
  #width(word: string): number {
    const known =
      this.#widths.get(word) ?? this.line(word).reduce((sum, { glyphs }) => glyphs.reduce((all, { advance }) => all + advance, sum), 0);
    this.#widths.set(word, known);
    return known;
  }

  /**
   * Returns the runs of a line in the order in which they are drawn from left to right. Each run has one font and one direction, and they
   * are reordered as Unicode demands (UAX 9). The base direction is left to right, or `auto`: that of the line's first letter.
   */
  line(given: string, base: 'ltr' | 'auto' = 'ltr'): Run[] {
    const text = withSpaces(given);
    const { levels } = bidi.getEmbeddingLevels(text, base);
    const runs: { font: SubsetFont; text: string; level: number }[] = [];
    for (const { segment, index } of graphemes.segment(text)) {
      const level = levels[index]!;
      for (const shown of this.#shownAs.get(segment) ?? [segment]) {
        const last = runs.at(-1);
        const font = segment === ' ' && last ? last.font : (this.#fontOf.get(shown) ?? this.all[0]!); // each font has the space
        if (last && last.font === font && last.level === level) last.text += shown;
        else runs.push({ font, text: shown, level });
      }
    }
    return visualOrder(runs).map(({ font, text: part, level }) => ({ font, glyphs: font.shape(part, level % 2 === 1) }));
  }
}

/** Brings the runs into visual order: from the highest level down, every sequence of runs at that level or above is reversed. */
function visualOrder<T extends { level: number }>(runs: readonly T[]): T[] {
  const order = [...runs];
  const highest = Math.max(0, ...order.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let from = 0; from < order.length; from += 1) {
      let to = from;
      while (to < order.length && order[to]!.level >= level) to += 1;
      if (to > from) order.splice(from, to - from, ...order.slice(from, to).toReversed());
      from = to;
    }
  }
  return order;
}

/** Returns how a letter with its marks is drawn: whole where a font has all of it, and else as what fonts have of it, and codes. */
async function piecesOf(cluster: string): Promise<{ text: string; font: SourceFont }[]> {
  const characters = [...cluster].map((character) => character.codePointAt(0)!).filter((character) => !isMark(character));
  const whole = await fontFor(characters);
  if (whole) return [{ text: cluster, font: whole }];
  const fontOfCodes = (await fontFor([0x5b]))!;
  const pieces: { text: string; font: SourceFont }[] = [];
  let lacking: number[] = [];
  const writeCodes = () => {
    if (lacking.length > 0) pieces.push({ text: codesOf(lacking), font: fontOfCodes });
    lacking = [];
  };
  for (const character of characters) {
    const font = await fontFor([character]);
    if (!font) lacking.push(character);
    else {
      writeCodes();
      pieces.push({ text: String.fromCodePoint(character), font });
    }
  }
  writeCodes();
  return pieces;
}

/** Writes characters that no font has as their code points, so that nothing is lost. */
const codesOf = (characters: readonly number[]) =>
  `[${characters.map((character) => `U+${character.toString(16).toUpperCase().padStart(4, '0')}`).join(' ')}]`;
