import bidiFactory from 'bidi-js';
import { fontFor, SubsetFont, type Glyph, type SourceFont } from './fonts.ts';

/** Its types describe it as a module that has the function as a member; Node gives the function itself. */
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();

/** A piece of a line in one font and one direction. */
export interface Run {
  font: SubsetFont;
  glyphs: Glyph[];
}

/** Control characters, and those that turn the direction of what follows: a name must not move the words beside it. */
const INVISIBLE = /[\p{Cc}\u200b\u200e\u200f\u061c\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** What is written of a text: one line, in composed form, without what cannot be seen. */
export const visible = (text: string): string => text.normalize('NFC').replace(/\s+/gu, ' ').replace(INVISIBLE, '').trim();

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Joiners and variants say how a character is drawn; a font need not know them. */
const isMark = (character: number) => character === 0x200c || character === 0x200d || (character >= 0xfe00 && character <= 0xfe0f);

/** All fonts that some texts need, each with the characters of those texts alone. */
export class TextFonts {
  readonly #fontOf: ReadonlyMap<string, SubsetFont>;
  readonly #shownAs: ReadonlyMap<string, string>;
  readonly all: readonly SubsetFont[];
  readonly #widths = new Map<string, number>();

  private constructor(fontOf: Map<string, SubsetFont>, shownAs: Map<string, string>, all: SubsetFont[]) {
    this.#fontOf = fontOf;
    this.#shownAs = shownAs;
    this.all = all;
  }

  static async of(texts: readonly string[]): Promise<TextFonts> {
    const shownAs = new Map<string, string>();
    const sources = new Map<SourceFont, Set<string>>();
    const clusters = new Set(texts.flatMap((text) => [...graphemes.segment(visible(text))].map(({ segment }) => segment)));
    for (const cluster of clusters) {
      const characters = [...cluster].map((character) => character.codePointAt(0)!).filter((character) => !isMark(character));
      const font = await fontFor(characters);
      if (!font) shownAs.set(cluster, codesOf(characters));
      const used = font ?? (await fontFor([0x5b]))!;
      const known = sources.get(used) ?? new Set();
      sources.set(used, known.add(font ? cluster : codesOf(characters)));
    }
    return TextFonts.#subset(sources, shownAs);
  }

  static async #subset(sources: ReadonlyMap<SourceFont, ReadonlySet<string>>, shownAs: Map<string, string>): Promise<TextFonts> {
    const fontOf = new Map<string, SubsetFont>();
    const all: SubsetFont[] = [];
    for (const [source, clusters] of sources) {
      const font = await SubsetFont.of(source, `${[...clusters].join('')} `);
      all.push(font);
      for (const cluster of clusters) fontOf.set(cluster, font);
    }
    return new TextFonts(fontOf, shownAs, all);
  }

  /** Breaks a text into lines that are at most this wide, at spaces where there are any. Widths are in thousandths of the size. */
  wrap(text: string, width: number): string[] {
    const words = visible(text)
      .split(' ')
      .flatMap((word) => this.#pieces(word, width));
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
    return lines;
  }

  /** A word in pieces that fit. */
  #pieces(word: string, width: number): string[] {
    if (this.#width(word) <= width) return [word];
    const pieces = [''];
    let room = width;
    for (const { segment } of graphemes.segment(word)) {
      const needed = this.#width(segment);
      if (needed > room && pieces.at(-1) !== '') {
        pieces.push('');
        room = width;
      }
      pieces[pieces.length - 1] += segment;
      room -= needed;
    }
    return pieces;
  }

  /** Of a word; a line is as wide as its words and the spaces between them. */
  #width(word: string): number {
    const known =
      this.#widths.get(word) ?? this.line(word).reduce((sum, { glyphs }) => glyphs.reduce((all, { advance }) => all + advance, sum), 0);
    this.#widths.set(word, known);
    return known;
  }

  /** A line as it is drawn from left to right: runs of one font and direction, reordered as Unicode says (UAX 9, from left to right). */
  line(text: string): Run[] {
    const { levels } = bidi.getEmbeddingLevels(text, 'ltr');
    const runs: { font: SubsetFont; text: string; level: number }[] = [];
    for (const { segment, index } of graphemes.segment(text)) {
      const shown = this.#shownAs.get(segment) ?? segment;
      const level = levels[index]!;
      const last = runs.at(-1);
      const font = segment === ' ' && last ? last.font : this.#fontOf.get(shown)!;
      if (last && last.font === font && last.level === level) last.text += shown;
      else runs.push({ font, text: shown, level });
    }
    return visualOrder(runs).map(({ font, text: part, level }) => ({ font, glyphs: font.shape(part, level % 2 === 1) }));
  }
}

/** Every sequence of runs at a level or above is turned around, from the highest level down. */
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

/** A character that no font has is written by its number, so that nothing is lost. */
const codesOf = (characters: readonly number[]) =>
  `[${characters.map((character) => `U+${character.toString(16).toUpperCase().padStart(4, '0')}`).join(' ')}]`;
