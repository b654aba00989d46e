import type { Budget } from '../limits.ts';
import type { ContentText } from './content-text.ts';
import { KERNING, LineTask, type PlacedValue, type Slot, type Tools } from './line-task.ts';
import { directionOf, type Glyph, type Show } from './shown-text.ts';
import { blocksOf, type Box, type Cluster, clustersOf, TextLayout } from './text-blocks.ts';

/**
 * Gives each value its place: where its tag begins, in the size of its tag. What follows on the line is moved by the difference. Where the
 * line gets too long, it grows to the left, goes on below, or gets narrower, and the value smaller. A value that still has no place is
 * refused, so that no text is ever lost. @gap D2-4.3
 */
export function layOut(content: ContentText, values: readonly PlacedValue[], box: Box, tools: Tools): void {
  const owner = new Map<Glyph, PlacedValue>();
  for (const value of values) owner.set(value.position.glyphs[0]!, value);
  const tasks: LineTask[] = [];
  for (const [layout, shows] of byRotation(content, values, { box, budget: tools.budget })) {
    const lines = linesWithValues(shows, values, tools.budget);
    const taken = new Set(lines.flat());
    for (const block of blocksOf(shows.filter((show) => !taken.has(show)))) layout.blocks.push(block);
    for (const line of lines) {
      const clusters = clustersOf(
        line.flatMap(({ glyphs }) => glyphs),
        layout,
      );
      for (const cluster of clusters) {
        layout.blocks.push(cluster);
        const slots = slotsOf(cluster, owner);
        if (slots.length > 0) tasks.push(new LineTask(cluster, slots, layout, tools));
      }
    }
  }
  for (const task of tasks) task.align();
  // What fits as it is comes first, so that a value that needs more space sees what is really free.
  for (const task of tasks.filter((task) => !task.fitsAtOnce())) task.fit();
}

/** Returns the text of each rotation in which values stand. */
function byRotation(content: ContentText, values: readonly PlacedValue[], given: { box: Box; budget: Budget }): Map<TextLayout, Show[]> {
  const found = new Map<number, Show[]>();
  for (const { position } of values) found.set(directionOf(position.glyphs[0]!.show), []);
  for (const show of content.shows) found.get(directionOf(show))?.push(show);
  return new Map([...found.values()].map((shows) => [new TextLayout(shows[0]!, content, given), shows]));
}

/** Returns the lines in which values stand. Text that is a little higher or lower belongs to its line too. */
function linesWithValues(shows: readonly Show[], values: readonly PlacedValue[], budget: Budget): Show[][] {
  const here = new Set(shows);
  const sorted = shows.toSorted((a, b) => a.base - b.base);
  const taken = new Set<Show>();
  const lines: Show[][] = [];
  for (const { position } of values) {
    const { show } = position.glyphs[0]!;
    if (!here.has(show) || taken.has(show)) continue;
    const line: Show[] = [];
    const reach = 0.45 * show.em;
    for (let at = firstFrom(sorted, show.base - reach); at < sorted.length && sorted[at]!.base <= show.base + reach; at += 1) {
      const other = sorted[at]!;
      budget.spend('comparisons', 1);
      if (!taken.has(other)) line.push(other);
      taken.add(other);
    }
    lines.push(line);
  }
  return lines;
}

function firstFrom(sorted: readonly Show[], base: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.base < base) low = middle + 1;
    else high = middle;
  }
  return low;
}

function slotsOf(cluster: Cluster, owner: ReadonlyMap<Glyph, PlacedValue>): Slot[] {
  const slots: Slot[] = [];
  for (const glyph of cluster.glyphs) {
    const value = owner.get(glyph);
    if (!value) continue;
    const { glyphs } = value.position;
    const from = glyph.at;
    const to = glyphs.reduce((end, { at, advance }) => Math.max(end, at + advance), from);
    const last = slots.at(-1);
    if (last && from < last.to - KERNING * glyph.show.em) last.values.push(value);
    else slots.push({ from, to, values: [value] });
  }
  return slots;
}
