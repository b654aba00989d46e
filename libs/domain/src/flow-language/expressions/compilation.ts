import type { Kinds } from '../definition/kinds.ts';
import { LIMITS } from '../definition/limits.ts';

/** The state of one compilation. */
export interface Compilation {
  kinds: Kinds;
  /** Every key that the compiled expressions and conditions read. */
  reads: Set<string>;
  /** How many parts may still be compiled. */
  left: number;
}

export const compilation = (kinds: Kinds): Compilation => ({ kinds, reads: new Set(), left: LIMITS.values });
