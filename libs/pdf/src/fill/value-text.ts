import { TextFonts, visible, type Run } from '../signatures-page/text-line.ts';
import type { SubsetFont } from '../signatures-page/fonts.ts';

/** One line of a value, shaped. The width is in thousandths of the font size. */
export interface ValueLine {
  text: string;
  runs: readonly Run[];
  width: number;
}

const LINE_BREAK = /\r\n?|[\n\v\f\u0085\u2028\u2029]/u;

/** Returns the lines of a value as they can be printed: in composed form, and without empty lines and characters that print nothing. */
export const linesOf = (value: string): string[] =>
  value
    .toWellFormed()
    .split(LINE_BREAK)
    .map((line) => visible(line))
    .filter((line) => line !== '');

/** Shapes values with the fonts of the Signatures page. */
export class ValueTexts {
  readonly #fonts: TextFonts;
  readonly #lines = new Map<string, ValueLine>();

  private constructor(fonts: TextFonts) {
    this.#fonts = fonts;
  }

  static async of(values: readonly string[]): Promise<ValueTexts> {
    return new ValueTexts(await TextFonts.of(values.flatMap(linesOf)));
  }

  get fonts(): readonly SubsetFont[] {
    return this.#fonts.all;
  }

  line(text: string): ValueLine {
    const known = this.#lines.get(text);
    if (known) return known;
    const runs = text === '' ? [] : this.#fonts.line(text, 'auto');
    const width = runs.reduce((sum, { glyphs }) => glyphs.reduce((all, { advance }) => all + advance, sum), 0);
    const line = { text, runs, width };
    this.#lines.set(text, line);
    return line;
  }

  /** Breaks paragraphs into lines of at most this width, in thousandths of the font size. */
  wrap(paragraphs: readonly string[], width: number): ValueLine[] {
    return paragraphs.flatMap((paragraph) => this.#fonts.wrap(paragraph, width)).map((line) => this.line(line));
  }
}
