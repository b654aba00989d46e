import { NO_BREAK_SPACE, TextFonts, visible, type Run } from '../signatures-page/text-line.ts';
import type { SubsetFont } from '../signatures-page/fonts.ts';

/** One line of a value, shaped. The width is in thousandths of the font size. */
export interface ValueLine {
  text: string;
  runs: readonly Run[];
  width: number;
}

const LINE_BREAK = /\r\n?|[\n\v\f\u0085\u2028\u2029]/u;

/** Numbers and IBANs that are written with spaces. Each is one word, which is not broken into lines. */
const SPACED_NUMBERS = [/(?<!\p{N})\p{N}{1,3}(?: \p{N}{3}){1,4}(?!\p{N})/gu, /\b[A-Z]{2}\d{2}(?: [A-Z\d]{4}){2,7}(?: [A-Z\d]{1,3})?\b/g];
/** No number, date or IBAN has more characters than this. Longer words with digits are addresses of pages, for example. */
const LONGEST_NUMBER = 50;

const withWholeNumbers = (text: string) =>
  SPACED_NUMBERS.reduce((whole, numbers) => whole.replace(numbers, (number) => number.replaceAll(' ', NO_BREAK_SPACE)), text);
const mayBeSplit = (word: string) => !/\p{N}/u.test(word) || word.length > LONGEST_NUMBER;
const isNeverSplit = () => false;

/** Returns the paragraphs of a value as they are printed: in composed form, without empty ones and characters that print nothing. */
const paragraphsOf = (value: string): readonly string[] =>
  value
    .toWellFormed()
    .split(LINE_BREAK)
    .map((line) => visible(line))
    .filter((line) => line !== '');

/** Shapes values with the fonts of the Signatures page. */
export class ValueTexts {
  readonly #fonts: TextFonts;
  readonly #paragraphs: ReadonlyMap<string, readonly string[]>;
  readonly #lines = new Map<string, ValueLine>();

  private constructor(fonts: TextFonts, paragraphs: ReadonlyMap<string, readonly string[]>) {
    this.#fonts = fonts;
    this.#paragraphs = paragraphs;
  }

  static async of(values: Iterable<string>): Promise<ValueTexts> {
    const paragraphs = new Map(Array.from(values, (value) => [value, paragraphsOf(value)]));
    const joined = [...paragraphs.values()].map((lines) => lines.join(' '));
    return new ValueTexts(await TextFonts.of([...joined, ...[...paragraphs.values()].flat()]), paragraphs);
  }

  get fonts(): readonly SubsetFont[] {
    return this.#fonts.all;
  }

  /** Returns the lines that a value has by itself. */
  paragraphs(value: string): readonly string[] {
    return this.#paragraphs.get(value) ?? [];
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

  /**
   * Breaks paragraphs into lines of at most this width, in thousandths of the font size: at spaces, and inside words that are too long, if
   * words are split. Numbers stay whole. A line with a word that stays whole can be too wide.
   */
  wrap(paragraphs: readonly string[], width: number, splitsWords: boolean): ValueLine[] {
    const maySplit = splitsWords ? mayBeSplit : isNeverSplit;
    const lines = paragraphs.flatMap((paragraph) => this.#fonts.wrap(withWholeNumbers(paragraph), width, maySplit));
    return lines.map((line) => this.line(line));
  }
}
