import { PdfRefusal } from '../refusal.ts';
import { directionOf, type Glyph, isInvisible } from './shown-text.ts';

/** A slug or a constant, or a key of a plugin answer, which has up to three parts (`slug.block.id`). */
export const TAG = /\{\{\s*([A-Za-z][A-Za-z0-9_-]{0,63}(?:\.[A-Za-z0-9_-]{1,64}){0,2})\s*\}\}/g;

/** A tag of a page: the glyphs that write it, and letters that the first and the last of them have beside it. */
export interface TagPosition {
  tag: string;
  glyphs: readonly Glyph[];
  before: string;
  after: string;
}

/** A glyph that nobody can read stands between the others as a character that no tag has. */
const UNREADABLE = '\u0001';

/**
 * Returns the tags that a content stream shows. A tag is contiguous when a person reads it so: its glyphs follow each other on one line,
 * whichever operators show them. Right-to-left text is shown in another order than it stands, with the tags in it. @spec D2-4.3.6
 */
export function findTagPositions(glyphs: readonly Glyph[]): TagPosition[] {
  const positions = positionsAlong(glyphs);
  const others = glyphs.filter(({ isTag }) => !isTag);
  return others.some(({ text }) => text.includes('{')) ? [...positions, ...positionsAlong(byPosition(others))] : positions;
}

/** Returns glyphs line by line, from the left to the right. */
function byPosition(glyphs: readonly Glyph[]): Glyph[] {
  const line = ({ show }: Glyph) => Math.round(show.base * 10);
  return glyphs.toSorted((a, b) => directionOf(a.show) - directionOf(b.show) || line(a) - line(b) || a.at - b.at);
}

function positionsAlong(glyphs: readonly Glyph[]): TagPosition[] {
  const positions: TagPosition[] = [];
  let run: Glyph[] = [];
  for (const glyph of glyphs) {
    const last = run.at(-1);
    if (last && !follows(last, glyph)) {
      positions.push(...positionsIn(run));
      run = [];
    }
    run.push(glyph);
  }
  return [...positions, ...positionsIn(run)];
}

/** Whether a glyph stands behind another one on its line, with no more than a space between them. */
function follows(last: Glyph, next: Glyph): boolean {
  if (last.show === next.show) return isClose(last, next);
  const [a, b] = [last.show, next.show];
  return a.ux * b.ux + a.uy * b.uy > 0.999 && Math.abs(a.base - b.base) < 0.15 * Math.max(a.em, b.em) && isClose(last, next);
}

function isClose(last: Glyph, next: Glyph): boolean {
  const em = Math.max(last.show.em, next.show.em);
  const gap = next.at - last.at - last.advance;
  return gap > -0.5 * em && gap < 0.6 * em;
}

function positionsIn(run: readonly Glyph[]): TagPosition[] {
  if (!run.some(({ text }) => text.includes('{'))) return [];
  const text = run.map((glyph) => glyph.text || UNREADABLE).join('');
  const matches = [...text.matchAll(TAG)];
  if (matches.length === 0) return [];
  const starts: number[] = []; // of each glyph in the text
  let length = 0;
  for (const glyph of run) {
    starts.push(length);
    length += (glyph.text || UNREADABLE).length;
  }
  return matches.map((match) => positionAt(run, starts, text, match));
}

function positionAt(run: readonly Glyph[], starts: readonly number[], text: string, match: RegExpExecArray): TagPosition {
  const end = match.index + match[0].length;
  const first = glyphAt(starts, match.index);
  const last = glyphAt(starts, end - 1);
  const glyphs = run.slice(first, last + 1);
  const obstacle = glyphs.map(({ show }) => show.state.font?.obstacle).find(Boolean);
  if (obstacle) throw new PdfRefusal('unfillable', `a tag in ${obstacle}`);
  if (glyphs.some(({ show }) => isInvisible(show))) throw new PdfRefusal('unfillable', 'a tag in invisible text, as of a scanned page');
  for (const glyph of glyphs) {
    if (glyph.isTag) throw new PdfRefusal('unfillable', 'two tags that share a glyph');
    glyph.isTag = true;
  }
  const after = text.slice(end, starts[last + 1] ?? text.length);
  return { tag: match[1]!, glyphs, before: text.slice(starts[first], match.index), after };
}

/** Returns the glyph that has the character at this position of the text. */
function glyphAt(starts: readonly number[], position: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
