// They stay beside the reader that asks them, so that a browser carries no contracts; the two that contracts know as well are compared
// in wire.check.ts.

/** Levels an expression may nest; a lone leaf is level 1. @spec D2-8 */
export const MAX_LEVELS = 64;

/** Bounds the specification leaves open: they keep a definition small enough to be checked in one go. @gap D2-8 */
export const LIMITS = {
  /** JSON values in a whole definition. */
  values: 20_000,
  parties: 20,
  nodes: 500,
  edges: 2_000,
  elements: 200,
  constants: 500,
  documents: 50,
  rules: 50,
  languages: 200,
  options: 500,
  /** Blocks, inputs and outputs of a plugin, each. */
  plugin_parts: 100,
  /** Arguments, parts, cases, and members of a condition's list. */
  operands: 200,
  name: 64,
  label: 500,
  /** Text of an element, in UTF-16 units. */
  text: 20_000,
  /** Nesting of [b], [i] and [a]. */
  text_levels: 32,
  /** Text a constant may grow to; a longer one is null. */
  computed_text: 100_000,
  /** A plugin answer, in UTF-16 units. */
  plugin_answer: 100_000,
  /** Faults reported of one unreadable definition. */
  faults: 100,
} as const;
