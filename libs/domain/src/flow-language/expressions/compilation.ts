import type { Kinds } from '../definition/kinds.ts';
import { LIMITS } from '../definition/limits.ts';

/** What one compilation knows, collects and may still spend. */
export interface Compilation {
  kinds: Kinds;
  /** Every key the compiled expressions and conditions read. */
  reads: Set<string>;
  /** Parts that may still be compiled. */
  left: number;
}

export const compilation = (kinds: Kinds): Compilation => ({ kinds, reads: new Set(), left: LIMITS.values });
