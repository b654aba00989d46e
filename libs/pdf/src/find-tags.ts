import { findTagged } from './fill/find-tagged.ts';
import { layOut } from './fill/lay-out.ts';
import { unplaced, type TextsOfValues } from './fill/line-task.ts';
import { Budget, type PdfLimits } from './limits.ts';

/** Values that print nothing: they need no fonts. */
const EMPTY: TextsOfValues = { paragraphs: () => [], line: (text) => ({ text, runs: [], width: 0 }), wrap: () => [] };

/**
 * Returns the value tags of a PDF (`{{slug}}`), each once, in the order of its pages: exactly those that `fill` fills. A PDF with so much
 * around its tags that filling them may be too much work is refused here already. Finding the places of values that do not fit takes twice
 * the comparisons of empty ones, so half of them are allowed here. @spec D2-4.3.6
 */
export function findTags(pdf: Buffer, limits: Partial<PdfLimits> = {}): string[] {
  const { file, drawings, tags } = findTagged(pdf, limits);
  const budget = new Budget({ comparisons: file.budget.limits.comparisons / 2 });
  for (const { drawing, text, positions } of drawings) {
    const values = positions.map((position) => unplaced(position, ''));
    layOut(text, values, drawing.box, { texts: EMPTY, budget });
  }
  return [...tags];
}
