import type { ContentText } from './content-text.ts';
import { type Glyph, isBlank, type Show } from './shown-text.ts';
import type { Budget } from '../limits.ts';
import { type Bounds, boundsOf, EVERYWHERE, type Matrix, overlap, type Point, pointAt } from './matrix.ts';

/** The space in which a content stream draws, and how much of it stays free at its sides. */
export interface Box {
  corners: Bounds;
  margin: number;
}

/**
 * Text that stands together on one baseline. Nothing else may be drawn over it. Positions are measured along the text: `base` is the
 * height of the baseline, `from` and `to` are where the text begins and ends, and `em` is its size.
 */
interface TextBlock {
  base: number;
  em: number;
  from: number;
  to: number;
  /** Where the block can be seen, when that is not everywhere. */
  clip?: Bounds;
}

/** How far text reaches above and below its baseline, as fractions of its size. */
const ABOVE = 0.7;
const BELOW = 0.2;
/** How far a ruled line may deviate from vertical or horizontal, in units of the page. */
const MAX_LEAN = 0.5;
/** The least distance of text from other text, and from a ruled line, as fractions of its size. */
const TEXT_GAP = 0.4;
const LINE_GAP = 0.15;

/** Which side of a text stays where it is when the text gets longer or shorter. */
export type Alignment = 'left' | 'right' | 'centre' | 'both' | 'unknown';

/** The tolerance within which text counts as aligned, and the least length of a justified line, as fractions of its size. */
const ALIGNED = 0.1;
const JUSTIFIED = 15;

/** The content of a page as seen along one direction of text: it tells how far text may grow before it meets something. */
export class TextLayout {
  readonly blocks: TextBlock[] = [];
  readonly #verticalLines: { at: number; low: number; high: number }[] = [];
  readonly #horizontalLines: { base: number; from: number; to: number }[] = [];
  /** Pictures and forms. What they show is not known, so a value is not drawn over one that begins beside or below it. */
  readonly #obstacles: readonly Bounds[];
  readonly #rotation: Matrix;
  readonly #box: Box;
  readonly #budget: Budget;

  constructor({ ux, uy }: Show, content: ContentText, { box, budget }: { box: Box; budget: Budget }) {
    this.#rotation = [ux, -uy, uy, ux, 0, 0];
    this.#box = box;
    this.#budget = budget;
    budget.spend('comparisons', content.lines.all.length + content.areas.length);
    for (const line of content.lines.all) {
      const [a, b] = line.map(([x, y]) => pointAt(x, y, this.#rotation));
      this.#addLine(a!, b!);
    }
    this.#obstacles = content.areas
      .filter(([left, bottom, right, top]) => left < right && bottom < top)
      .map((area) => boundsOf(area, this.#rotation));
  }

  /** Returns where text can be drawn at all: on the page but its margin, and where it is not clipped. */
  #space({ clip = EVERYWHERE }: TextBlock) {
    const { corners, margin } = this.#box;
    const [left, bottom, right, top] = corners;
    const inner = [left + margin, bottom + margin, right - margin, top - margin] as const;
    const [from, low, to] = boundsOf(overlap(inner, clip), this.#rotation);
    return { left: from, right: to, bottom: low };
  }

  /** Counts that something is compared with everything in this direction. */
  #count(): void {
    this.#budget.spend(
      'comparisons',
      this.blocks.length + this.#verticalLines.length + this.#horizontalLines.length + this.#obstacles.length,
    );
  }

  #addLine(a: Point, b: Point): void {
    const [from, to] = [Math.min(a[0], b[0]), Math.max(a[0], b[0])];
    const [low, high] = [Math.min(a[1], b[1]), Math.max(a[1], b[1])];
    if (to - from < MAX_LEAN) this.#verticalLines.push({ at: (from + to) / 2, low, high });
    else if (high - low < MAX_LEAN) this.#horizontalLines.push({ base: (low + high) / 2, from, to });
  }

  /** Whether a vertical ruled line stands between two positions of a baseline. */
  hasVerticalLineBetween(base: number, em: number, from: number, to: number): boolean {
    this.#budget.spend('comparisons', this.#verticalLines.length);
    return this.#verticalLines.some(({ at, low, high }) => at > from && at < to && low < base + 0.3 * em && high > base);
  }

  /** How far to the right text may reach on the line of a block. */
  rightOf(block: TextBlock): number {
    const { base, em, to } = block;
    let limit = this.#space(block).right;
    this.#count();
    for (const other of this.blocks) {
      if (other.from > to - 0.3 * em && isBeside(block, other)) limit = Math.min(limit, other.from - TEXT_GAP * em);
    }
    for (const [left, low, , high] of this.#obstacles) {
      if (left > to - 0.3 * em && isBetween(block, low, high)) limit = Math.min(limit, left - LINE_GAP * em);
    }
    for (const { at, low, high } of this.#verticalLines) {
      if (at > to - LINE_GAP * em && low < base + 0.3 * em && high > base) limit = Math.min(limit, at - LINE_GAP * em);
    }
    return Math.max(limit, to);
  }

  /** How far to the left text may reach on the line of a block: at most to where the leftmost text begins. */
  leftOf(block: TextBlock): number {
    const { base, em, from } = block;
    let limit = from;
    this.#count();
    for (const other of this.blocks) limit = Math.min(limit, other.from);
    limit = Math.max(limit, this.#space(block).left);
    for (const other of this.blocks) {
      if (other.to < from + 0.3 * em && isBeside(block, other)) limit = Math.max(limit, other.to + TEXT_GAP * em);
    }
    for (const [, low, right, high] of this.#obstacles) {
      if (right < from + 0.3 * em && isBetween(block, low, high)) limit = Math.max(limit, right + LINE_GAP * em);
    }
    for (const { at, low, high } of this.#verticalLines) {
      if (at < from + LINE_GAP * em && low < base + 0.3 * em && high > base) limit = Math.max(limit, at + LINE_GAP * em);
    }
    return Math.min(limit, from);
  }

  /**
   * Returns how a block was aligned, as far as other lines show it. A long block whose beginning and end other lines share is justified.
   * Otherwise the side decides that more lines share; when as many share each, the block's position between the ends of all text does.
   */
  alignmentOf(block: TextBlock): Alignment {
    const { base, em, from, to } = block;
    let [left, right, begins, ends] = [from, to, 0, 0];
    this.#count();
    for (const other of this.blocks) {
      left = Math.min(left, other.from);
      right = Math.max(right, other.to);
      if (Math.abs(other.base - base) < 0.5 * em) continue;
      if (Math.abs(other.from - from) < ALIGNED * em) begins += 1;
      if (Math.abs(other.to - to) < ALIGNED * em) ends += 1;
    }
    if (begins > 0 && ends > 0 && to - from > JUSTIFIED * em) return 'both';
    if (from - left < 2 * em || begins > ends) return 'left';
    if (ends > begins || (ends > 0 && right - to < ALIGNED * em)) return 'right';
    return right - to > 2 * em && Math.abs(from + to - left - right) < em ? 'centre' : 'unknown';
  }

  /** How much is free below the baseline of a block, between two positions. */
  freeBelow(block: TextBlock, from: number, to: number): number {
    const { base, em } = block;
    let top = this.#space(block).bottom;
    this.#count();
    for (const [left, , right, high] of this.#obstacles) if (high < base && left < to && right > from) top = Math.max(top, high);
    for (const other of this.blocks) {
      const isBelow = other.base < base - 0.3 * em && other.from < to && other.to > from;
      if (isBelow) top = Math.max(top, other.base + (ABOVE + 0.1) * other.em);
    }
    for (const line of this.#horizontalLines) {
      if (line.base < base && line.from < to && line.to > from) top = Math.max(top, line.base);
    }
    return base - top;
  }
}

/** Whether something between two heights would touch the text of a block. */
const isBetween = ({ base, em }: TextBlock, low: number, high: number) => low < base + ABOVE * em && high > base - BELOW * em;

const isBeside = (block: TextBlock, other: TextBlock) =>
  other !== block && isBetween(block, other.base - BELOW * other.em, other.base + ABOVE * other.em);

/** Text that moves together when a value in it is longer or shorter than its tag. */
export interface Cluster extends TextBlock {
  glyphs: readonly Glyph[];
}

/** The gap before text from which it is in another column, as a fraction of its size: smaller for text that was positioned separately. */
const COLUMN_GAP = 1.5;
const PLACED_GAP = 0.75;

/** Splits the text of one line where it has wide gaps and ruled lines. */
export function clustersOf(glyphs: readonly Glyph[], layout: TextLayout): Cluster[] {
  const clusters: (Cluster & { glyphs: Glyph[] })[] = [];
  for (const glyph of glyphs.toSorted((a, b) => a.at - b.at)) {
    const { base, em, clip } = glyph.show;
    const last = clusters.at(-1);
    const end = glyph.at + glyph.advance;
    if (last && (isBlank(glyph) || !isApart(last, glyph, layout))) {
      last.glyphs.push(glyph);
      if (isBlank(glyph)) continue;
      last.to = Math.max(last.to, end);
      last.em = Math.max(last.em, em);
    } else clusters.push({ glyphs: [glyph], base, em, clip, from: glyph.at, to: Math.max(end, glyph.at) });
  }
  return clusters;
}

function isApart({ base, em, to, glyphs }: Cluster, { at, show }: Glyph, layout: TextLayout): boolean {
  const last = glyphs.at(-1)!;
  const isPlaced = show !== last.show && !show.continues;
  if (at - to > COLUMN_GAP * em || (isPlaced && at - last.at - last.advance > PLACED_GAP * em)) return true;
  return at - to > 0.2 * em && layout.hasVerticalLineBetween(base, em, to, at);
}

/** Returns the blocks of text without a tag for a value. Some programs show each word, or each letter, by an operator of its own. */
export function blocksOf(shows: readonly Show[]): TextBlock[] {
  const blocks: TextBlock[] = [];
  for (const show of shows) {
    const block = blockOf(show);
    if (!block) continue;
    const last = blocks.at(-1);
    const gap = last && Math.abs(last.base - block.base) < 0.01 * block.em ? block.from - last.to : Infinity;
    if (last && gap > -0.5 * block.em && gap < block.em) last.to = Math.max(last.to, block.to);
    else blocks.push(block);
  }
  return blocks;
}

/** Returns the block of an operator's text, or undefined when it shows nothing that can be seen. */
function blockOf({ base, em, glyphs }: Show): TextBlock | undefined {
  const seen = glyphs.filter((glyph) => !isBlank(glyph));
  if (seen.length === 0) return undefined;
  let [from, to] = [Infinity, -Infinity];
  for (const { at, advance } of seen) {
    from = Math.min(from, at);
    to = Math.max(to, at + advance);
  }
  return { base, em, from, to };
}
