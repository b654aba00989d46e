import type { Matcher } from './pattern.ts';
import type { Check, Input, Lane } from './row.ts';

/** A regex and the type that brought it. */
export interface Pattern {
  readonly of: string;
  readonly regex: Matcher;
}

/** What one value is judged by. */
export interface Shape {
  readonly input: Input;
  readonly lane: Lane;
  readonly check: Check | null;
  readonly options: readonly string[] | null;
  readonly entries: readonly Entry[];
  /** Root first. */
  readonly patterns: readonly Pattern[];
}

/** A sub-field or metadata entry, and what its value is judged by. */
export interface Entry {
  readonly key: string;
  readonly required: boolean;
  readonly shape: Shape;
}

/** A type with everything it inherits. @spec D1-2.5 */
export interface Definition extends Shape {
  readonly type: string;
  /** Root first, itself last. */
  readonly lineage: readonly string[];
}
