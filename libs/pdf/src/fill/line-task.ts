import type { Budget } from '../limits.ts';
import { PdfRefusal } from '../refusal.ts';
import { type Glyph, isBlank, type Show } from './shown-text.ts';
import type { TagPosition } from './tag-positions.ts';
import type { Alignment, Cluster, TextLayout } from './text-blocks.ts';
import type { ValueLine, ValueTexts } from './value-text.ts';

/** The value of one tag, and where and how large its lines are drawn. */
export interface PlacedValue {
  position: TagPosition;
  value: string;
  lines: readonly ValueLine[];
  /** Where the first line begins, in units of the page along its line. */
  to: number;
  /** The size of the value, as a part of its tag's, and how much narrower the whole line is drawn. */
  size: number;
  stretch: number;
}

/** Returns the value of a tag before it has a place. */
export const unplaced = (position: TagPosition, value: string): PlacedValue => ({ position, value, lines: [], to: 0, size: 1, stretch: 1 });

/** What laying out asks of the texts of values. */
export type TextsOfValues = Pick<ValueTexts, 'paragraphs' | 'line' | 'wrap'>;

/** The texts of the values, and what counts the work. */
export interface Tools {
  texts: TextsOfValues;
  budget: Budget;
}

/** The values between two positions. There are several where text is drawn twice, as some programs do to make it bold. */
export interface Slot {
  from: number;
  to: number;
  values: PlacedValue[];
}

/** How much a line may be condensed, and a value made smaller, before its template needs more space. */
const SLIGHTLY_CONDENSED = 0.85;
const CONDENSED = 0.75;
const MAX_CONDENSED = 0.6;
const SMALLEST = 0.4;
const SIZES = [1, 0.9, 0.8, 0.7];
const SMALL_SIZES = [0.6, 0.5, SMALLEST];
/** The narrowest and the widest space between the words of a justified line, as parts of its size. */
const NARROWEST_SPACE = 0.18;
const WIDEST_SPACE = 0.9;
/** The distance between the lines of a value, as a part of its size. */
export const LEADING = 1.2;
/** How much a value may be beyond its place, which differences between fonts explain. */
const TOLERANCE = 0.01;
/** How many comparisons take as long as breaking one character of a value into lines. */
const WRAPPING_COST = 20;
/** How much of a text may overlap the text before it, as a part of its size. */
export const KERNING = 0.3;

/** Returns the width of a line of a value in units of the page. */
const widthOf = (line: ValueLine, { position }: PlacedValue) => (line.width / 1000) * unitOf(position.glyphs[0]!.show);
const unitOf = ({ state, unit }: Show) => Math.abs(state.size * state.scale * unit);

const UNCHANGED = { spaces: new Map<Glyph, number>(), added: 0 };

/** Returns the spaces before words, by the first glyph of the word. Some programs draw no blanks, but move the pen. */
function spacesIn(glyphs: readonly Glyph[], values: readonly PlacedValue[]): Map<Glyph, number> {
  const spaces = new Map<Glyph, number>();
  const starts = new Set(values.map(({ position }) => position.glyphs[0]!));
  let end = Infinity;
  for (const glyph of glyphs) {
    if (isBlank(glyph)) continue;
    const isInside = glyph.isTag && !starts.has(glyph);
    if (glyph.at - end > NARROWEST_SPACE * glyph.show.em && !isInside) spaces.set(glyph, glyph.at - end);
    end = glyph.at + glyph.advance;
  }
  return spaces;
}

/** A size at which a value may be wrapped, the space that there is, and what breaks the value into lines of a width. */
interface Wrapping {
  size: number;
  width: number;
  free: number;
  wrap: (width: number) => readonly ValueLine[];
}

/** Fits the values of one cluster of text into its line. */
export class LineTask {
  readonly #cluster: Cluster;
  readonly #slots: readonly Slot[];
  readonly #layout: TextLayout;
  readonly #tools: Tools;
  #alignment: Alignment = 'unknown';
  #keepsLeft = false;
  /** How far the cluster may reach, as the text around it is now. */
  #sides = { left: 0, right: 0 };
  #free: number | undefined;

  constructor(cluster: Cluster, slots: readonly Slot[], layout: TextLayout, tools: Tools) {
    this.#cluster = cluster;
    this.#slots = slots;
    this.#layout = layout;
    this.#tools = tools;
    for (const value of this.#values) value.lines = [this.#oneLine(value)];
  }

  /** Returns the whole value as one line. */
  #oneLine({ value }: PlacedValue): ValueLine {
    const { texts } = this.#tools;
    return texts.line(texts.paragraphs(value).join(' '));
  }

  get #values(): PlacedValue[] {
    return this.#slots.flatMap(({ values }) => values);
  }

  /** Notes how the text was aligned, while all text is where it was. */
  align(): void {
    this.#alignment = this.#layout.alignmentOf(this.#cluster);
    this.#keepsLeft = this.#alignment === 'left' || this.#alignment === 'both';
  }

  /** Draws each value as one line where there is space for it. Returns whether there was. */
  fitsAtOnce(): boolean {
    this.#measure();
    return this.#fitsAsItIs();
  }

  #measure(): void {
    this.#sides = { left: this.#layout.leftOf(this.#cluster), right: this.#layout.rightOf(this.#cluster) };
  }

  #fitsAsItIs(): boolean {
    const { isOneLine, natural } = this.#needs();
    if (isOneLine && this.#alignment === 'both' && this.#justifies(natural)) return true;
    if (!isOneLine || natural > this.#available(natural) + TOLERANCE) return false;
    this.#settle(1, 1);
    return true;
  }

  /** Fits values that are too long for the line as it is. Words are split only when nothing else is left, and numbers never. */
  fit(): void {
    this.#measure();
    if (this.#keepsLeft && this.#fitsFromLeft()) return;
    const fits = this.#wraps(SIZES) || this.#condenses(CONDENSED, 1) || this.#wraps(SMALL_SIZES);
    if (fits || this.#condenses(MAX_CONDENSED, SMALLEST) || this.#wrapsAtLast()) return;
    throw new PdfRefusal('overflow', 'a value with no place');
  }

  #wrapsAtLast(): boolean {
    const sizes = [...SIZES, ...SMALL_SIZES];
    const [joins, splits] = [{ joinsParagraphs: true }, { splitsWords: true }];
    return this.#wraps(sizes, joins) || this.#wraps(sizes, splits) || this.#wraps(sizes, { ...joins, ...splits });
  }

  /** Fits text below whose beginning other text begins too. Such text grows to the left only when nothing else is left. */
  #fitsFromLeft(): boolean {
    const { isOneLine } = this.#needs();
    if ((isOneLine && this.#condenses(SLIGHTLY_CONDENSED, 1)) || this.#wraps(SIZES) || this.#condenses(CONDENSED, 1)) return true;
    this.#keepsLeft = false;
    return this.#fitsAsItIs();
  }

  #needs() {
    const isOneLine = this.#values.every(({ value }) => this.#tools.texts.paragraphs(value).length < 2);
    const added = this.#slots.reduce((sum, slot) => sum + this.#width(slot), 0);
    const removed = this.#slots.reduce((sum, { from, to }) => sum + to - from, 0);
    const { from, to } = this.#cluster;
    return { isOneLine, added, natural: to - from - removed + added };
  }

  #width({ values }: Slot): number {
    return Math.max(...values.map((value) => widthOf(value.lines[0]!, value)));
  }

  /** How wide the cluster may be. It grows to the right, and to the left only when that is not enough. */
  #available(natural: number): number {
    const { left, right } = this.#sides;
    return right - (this.#keepsLeft || this.#cluster.from + natural <= right + TOLERANCE ? this.#cluster.from : left);
  }

  /** Draws a justified line as wide as it was, by the spaces between its words. Returns whether they stay within their bounds. */
  #justifies(natural: number): boolean {
    const { from, to, em, glyphs } = this.#cluster;
    const spaces = spacesIn(glyphs, this.#values);
    const added = (to - from - natural) / spaces.size;
    let [narrowest, widest] = [Infinity, 0];
    for (const width of spaces.values()) {
      narrowest = Math.min(narrowest, width);
      widest = Math.max(widest, width);
    }
    if (spaces.size === 0 || narrowest + added < NARROWEST_SPACE * em || widest + added > WIDEST_SPACE * em) return false;
    this.#settle(1, 1, { spaces, added });
    this.#cluster.to = to;
    return true;
  }

  /** Draws the line narrower and its values smaller. Returns whether that is enough. */
  #condenses(stretch: number, size: number): boolean {
    const { natural, added } = this.#needs();
    const available = this.#available(natural) + TOLERANCE;
    const condensed = Math.min(1, available / natural);
    if (condensed >= stretch) {
      this.#settle(condensed, 1);
      return true;
    }
    const smaller = (available / stretch - (natural - added)) / added;
    if (!(smaller >= size) || size === 1) return false;
    this.#settle(stretch, Math.min(1, smaller));
    return true;
  }

  /** Moves the text of the cluster to make space for the values, with something added to the spaces between its words. */
  #settle(stretch: number, size: number, words: { spaces: ReadonlyMap<Glyph, number>; added: number } = UNCHANGED): void {
    const { natural, added } = this.#needs();
    const { from, glyphs } = this.#cluster;
    const width = (natural - added + added * size) * stretch;
    const origin = this.#origin(width);
    let [shift, next] = [0, 0];
    for (const glyph of glyphs) {
      for (let slot = this.#slots[next]; slot && glyph.at >= slot.to - KERNING * glyph.show.em; slot = this.#slots[next]) {
        shift += this.#width(slot) * size - (slot.to - slot.from);
        next += 1;
      }
      if (words.spaces.has(glyph)) shift += words.added;
      glyph.to = origin + (glyph.at - from + shift) * stretch;
      glyph.stretch = stretch;
    }
    for (const value of this.#values) {
      value.to = value.position.glyphs[0]!.to!;
      Object.assign(value, { size, stretch });
    }
    this.#cluster.from = origin;
    this.#cluster.to = origin + width;
  }

  /** Returns where the cluster begins when it has this width. */
  #origin(width: number): number {
    const { from, to } = this.#cluster;
    const wanted = { left: from, right: to - width, centre: (from + to - width) / 2, both: from, unknown: from }[this.#alignment];
    return Math.max(this.#sides.left, Math.min(wanted, this.#sides.right - width));
  }

  /** Draws a value that ends its line on several lines, where the space below is free. Returns whether there is so much space. */
  #wraps(sizes: readonly number[], { joinsParagraphs = false, splitsWords = false } = {}): boolean {
    const [slot, ...others] = this.#slots;
    const [value, ...doubles] = slot?.values ?? [];
    if (!slot || !value || others.length > 0 || doubles.length > 0) return false;
    const { show } = value.position.glyphs[0]!;
    if (show.isMirrored || this.#cluster.to > slot.to + 0.3 * show.em) return false;
    const { texts } = this.#tools;
    const lines = texts.paragraphs(value.value);
    const paragraphs = joinsParagraphs ? [lines.join(' ')] : lines;
    const { right } = this.#sides;
    this.#free ??= this.#layout.freeBelow(this.#cluster, slot.from, right);
    const space = { width: right - slot.from, free: this.#free };
    const size = sizes.find((size) =>
      this.#fitsBelow(value, { ...space, size, wrap: (width) => texts.wrap(paragraphs, width, splitsWords) }),
    );
    if (size === undefined) return false;
    this.#settleLines(value, size);
    return true;
  }

  /** Breaks a value into at least two lines: one line is better condensed. Returns whether these have the space that there is. */
  #fitsBelow(value: PlacedValue, { size, width, free, wrap }: Wrapping): boolean {
    const { show } = value.position.glyphs[0]!;
    const most = Math.floor((free / (show.em * size) - 0.25) / LEADING) + 1;
    if (most < 2 || (widthOf(this.#oneLine(value), value) * size) / width > most) return false;
    this.#tools.budget.spend('comparisons', value.value.length * WRAPPING_COST);
    const lines = wrap(((width / unitOf(show)) * 1000) / size);
    if (lines.length < 2 || lines.length > most || lines.some((line) => widthOf(line, value) * size > width + TOLERANCE)) return false;
    value.lines = lines;
    return true;
  }

  #settleLines(value: PlacedValue, size: number): void {
    const [first] = value.position.glyphs;
    const { show } = first!;
    for (const glyph of this.#cluster.glyphs) glyph.to = glyph.at;
    Object.assign(value, { to: first!.at, size, stretch: 1 });
    value.lines.forEach((line, nth) => {
      const block = {
        base: show.base - nth * LEADING * show.em * size,
        em: show.em * size,
        from: first!.at,
        to: first!.at + widthOf(line, value) * size,
      };
      if (nth > 0) this.#layout.blocks.push(block);
    });
    this.#cluster.to = first!.at + widthOf(value.lines[0]!, value) * size;
  }
}
