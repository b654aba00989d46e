// The limits are here, beside the reader that uses them, so that a browser need not load the contracts. wire.check.ts compares the two
// limits that the contracts have too.

/** How many levels an expression may nest. A single leaf is level 1. @spec D2-8 */
export const MAX_LEVELS = 64;

/** Limits that the specification does not set. They keep a definition small enough to be checked at once. @gap D2-8 */
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
  /** Blocks of a plugin, and the same number of inputs and of outputs. */
  plugin_parts: 100,
  /** Arguments, parts, cases, and members of a condition's list. */
  operands: 200,
  name: 64,
  label: 500,
  /** Text of an element, in UTF-16 units. */
  text: 20_000,
  /** Nesting of [b], [i] and [a]. */
  text_levels: 32,
  /** The longest text of a constant. A longer text becomes null. */
  computed_text: 100_000,
  /** A plugin answer, in UTF-16 units. */
  plugin_answer: 100_000,
  /** Faults reported of one unreadable definition. */
  faults: 100,
  /** Errors reported of one draft, and the same number of warnings. */
  findings: 1_000,
} as const;
