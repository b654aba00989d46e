/** The patterns that documents show, by the source of the exact pattern that each one replaces. */
export const PORTABLE_PATTERNS = new Map<string, string>();

/**
 * Registers which pattern the OpenAPI document shows for a pattern that only ECMAScript can compile. RE2 and Python can compile the
 * portable one too. It may accept more than the exact one, never less.
 */
export function documentedAs(portable: RegExp, exact: RegExp): RegExp {
  PORTABLE_PATTERNS.set(exact.source, portable.source);
  return exact;
}
