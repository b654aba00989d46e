import type { Definition } from './definition.ts';
import type { Check, Input } from './row.ts';

/** How expressions, comparisons and bounds see a field. @gap D2-2.5 */
export type Kind = 'text' | 'number' | 'date' | 'choice' | 'multichoice' | 'composite' | 'binary' | 'unknown';

const BY_INPUT: Readonly<Partial<Record<Input, Kind>>> = {
  date: 'date',
  list: 'choice',
  multilist: 'multichoice',
  composite: 'composite',
  file: 'binary',
  pages: 'binary',
};
const NUMERIC: readonly (Check | null)[] = ['number', 'integer', 'decimal', 'float'];

/** Returns the kind of a definition. It is `unknown` for a type that the registry does not have. */
export function kindOf(definition: Definition | undefined): Kind {
  if (!definition) return 'unknown';
  return BY_INPUT[definition.input] ?? (NUMERIC.includes(definition.check) ? 'number' : 'text');
}
