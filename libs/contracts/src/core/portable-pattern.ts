/** By the source of an exact pattern: what documents write in its place. */
export const PORTABLE_PATTERNS = new Map<string, string>();

/**
 * A pattern that only ECMAScript can compile, and the one that the OpenAPI document shows: RE2 and Python compile that one too. It may
 * accept more than the exact one, never less.
 */
export function documentedAs(portable: RegExp, exact: RegExp): RegExp {
  PORTABLE_PATTERNS.set(exact.source, portable.source);
  return exact;
}
