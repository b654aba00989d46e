import type { ContentText } from './content-text.ts';
import { type Glyph, isBlank, type Show } from './shown-text.ts';
import type { Point } from './matrix.ts';

/** The space in which a content stream draws, and how much of it stays free at its sides. */
export interface Box {
  corners: readonly [left: number, bottom: number, right: number, top: number];
  margin: number;
}

/** Text that stands together on one baseline, from one position to another. Nothing else may be drawn over it. */
export interface TextBlock {
  base: number;
  em: number;
  from: number;
  to: number;
}

/** How far text reaches above and below its baseline, as parts of its size. */
const ABOVE = 0.7;
const BELOW = 0.2;
/** How far from a straight line a ruled line may lean, in units of the page. */
const MOST_LEAN = 0.5;
/** Text is not drawn nearer to other text, and to a ruled line, than these parts of its size. */
const TEXT_GAP = 0.4;
const LINE_GAP = 0.15;

/** Which side of a text stays where it is when the text gets longer or shorter. */
export type Alignment = 'left' | 'right' | 'centre';

/** Everything that is drawn in the direction of one line: where text may grow there, and where it would meet something. */
export class Direction {
  readonly blocks: TextBlock[] = [];
  readonly #walls: { at: number; low: number; high: number }[] = [];
  readonly #floors: { base: number; from: number; to: number }[] = [];
  readonly #left: number;
  readonly #right: number;
  readonly #bottom: number;

  constructor({ ux, uy }: Show, content: ContentText, { corners: [left, bottom, right, top], margin }: Box) {
    const turned = ([x, y]: Point): Point => [x * ux + y * uy, y * ux - x * uy];
    for (const [a, b] of content.lines.all) this.#addLine(turned(a), turned(b));
    const corners = [turned([left, bottom]), turned([right, bottom]), turned([left, top]), turned([right, top])];
    this.#left = Math.min(...corners.map(([at]) => at)) + margin;
    this.#right = Math.max(...corners.map(([at]) => at)) - margin;
    this.#bottom = Math.min(...corners.map(([, base]) => base)) + margin;
  }

  #addLine(a: Point, b: Point): void {
    const [from, to] = [Math.min(a[0], b[0]), Math.max(a[0], b[0])];
    const [low, high] = [Math.min(a[1], b[1]), Math.max(a[1], b[1])];
    if (to - from < MOST_LEAN) this.#walls.push({ at: (from + to) / 2, low, high });
    else if (high - low < MOST_LEAN) this.#floors.push({ base: (low + high) / 2, from, to });
  }

  /** Whether a ruled line stands between two positions of a baseline. */
  isDivided(base: number, em: number, from: number, to: number): boolean {
    return this.#walls.some(({ at, low, high }) => at > from && at < to && low < base + 0.3 * em && high > base);
  }

  /** How far to the right text may reach on the line of a block. */
  rightOf(block: TextBlock): number {
    const { base, em, to } = block;
    let limit = this.#right;
    for (const other of this.#beside(block)) if (other.from > to - 0.3 * em) limit = Math.min(limit, other.from - TEXT_GAP * em);
    for (const { at, low, high } of this.#walls) {
      if (at > to - LINE_GAP * em && low < base + 0.3 * em && high > base) limit = Math.min(limit, at - LINE_GAP * em);
    }
    return Math.max(limit, to);
  }

  /** How far to the left text may reach on the line of a block: not beyond all other text. */
  leftOf(block: TextBlock): number {
    const { base, em, from } = block;
    let limit = from;
    for (const other of this.blocks) limit = Math.min(limit, other.from);
    limit = Math.max(limit, this.#left);
    for (const other of this.#beside(block)) if (other.to < from + 0.3 * em) limit = Math.max(limit, other.to + TEXT_GAP * em);
    for (const { at, low, high } of this.#walls) {
      if (at < from + LINE_GAP * em && low < base + 0.3 * em && high > base) limit = Math.max(limit, at + LINE_GAP * em);
    }
    return Math.min(limit, from);
  }

  /**
   * Returns how a block was aligned, as far as the text of other lines shows it: it ends where another line ends, or it is in the middle of
   * all text, and no other line begins where it does.
   */
  alignmentOf(block: TextBlock): Alignment {
    const { base, em, from, to } = block;
    let [left, right, begins, ends] = [from, to, false, false];
    for (const other of this.blocks) {
      left = Math.min(left, other.from);
      right = Math.max(right, other.to);
      const isOtherLine = Math.abs(other.base - base) > 0.5 * em;
      begins ||= isOtherLine && Math.abs(other.from - from) < 0.2 * em;
      ends ||= isOtherLine && Math.abs(other.to - to) < 0.2 * em;
    }
    if (begins || from - left < 2 * em) return 'left';
    if (ends) return 'right';
    return right - to > 2 * em && Math.abs(from + to - left - right) < em ? 'centre' : 'left';
  }

  *#beside(block: TextBlock): Generator<TextBlock> {
    const [low, high] = [block.base - BELOW * block.em, block.base + ABOVE * block.em];
    for (const other of this.blocks) {
      if (other !== block && other.base - BELOW * other.em < high && other.base + ABOVE * other.em > low) yield other;
    }
  }

  /** How much is free below the baseline of a block, between two positions. */
  freeBelow({ base, em }: TextBlock, from: number, to: number): number {
    let top = this.#bottom;
    for (const other of this.blocks) {
      const isBelow = other.base < base - 0.3 * em && other.from < to && other.to > from;
      if (isBelow) top = Math.max(top, other.base + (ABOVE + 0.1) * other.em);
    }
    for (const floor of this.#floors) {
      if (floor.base < base && floor.from < to && floor.to > from) top = Math.max(top, floor.base);
    }
    return base - top;
  }
}

/** Text that moves together when a value in it is longer or shorter than its tag. */
export interface Cluster extends TextBlock {
  glyphs: readonly Glyph[];
}

/** Text with more than this part of its size before it stands in another column. */
const COLUMN_GAP = 1.5;

/** Splits the text of one line where it has wide gaps and ruled lines. */
export function clustersOf(glyphs: readonly Glyph[], direction: Direction): Cluster[] {
  const clusters: (Cluster & { glyphs: Glyph[] })[] = [];
  for (const glyph of glyphs.toSorted((a, b) => a.at - b.at)) {
    const { base, em } = glyph.show;
    const last = clusters.at(-1);
    const end = glyph.at + glyph.advance;
    if (last && (isBlank(glyph) || !isApart(last, glyph, direction))) {
      last.glyphs.push(glyph);
      if (isBlank(glyph)) continue;
      last.to = Math.max(last.to, end);
      last.em = Math.max(last.em, em);
    } else clusters.push({ glyphs: [glyph], base, em, from: glyph.at, to: Math.max(end, glyph.at) });
  }
  return clusters;
}

function isApart({ base, em, to }: Cluster, { at }: Glyph, direction: Direction): boolean {
  return at - to > COLUMN_GAP * em || (at - to > 0.2 * em && direction.isDivided(base, em, to, at));
}

/** Returns the block of an operator's text, or undefined when it shows nothing that can be seen. */
export function blockOf({ base, em, glyphs }: Show): TextBlock | undefined {
  const seen = glyphs.filter((glyph) => !isBlank(glyph));
  if (seen.length === 0) return undefined;
  let [from, to] = [Infinity, -Infinity];
  for (const { at, advance } of seen) {
    from = Math.min(from, at);
    to = Math.max(to, at + advance);
  }
  return { base, em, from, to };
}
