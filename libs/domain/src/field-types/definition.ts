import type { Matcher } from './pattern.ts';
import type { Check, Input, Lane } from './row.ts';

/** A regex, and the type that declares it. */
export interface Pattern {
  readonly of: string;
  readonly regex: Matcher;
}

/** The rules for one value. */
export interface Shape {
  readonly input: Input;
  readonly lane: Lane;
  readonly check: Check | null;
  readonly options: readonly string[] | null;
  readonly entries: readonly Entry[];
  /** The regexes of the type and its ancestors, root first. */
  readonly patterns: readonly Pattern[];
}

/** A sub-field or metadata entry, with the rules for its value. */
export interface Entry {
  readonly key: string;
  readonly required: boolean;
  readonly shape: Shape;
}

/** A type with everything it inherits. @spec D1-2.5 */
export interface Definition extends Shape {
  readonly type: string;
  /** The names of its ancestors, root first, and its own name last. */
  readonly lineage: readonly string[];
}
