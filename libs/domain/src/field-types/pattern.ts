import { PATTERN_CHARS, PATTERN_STATES } from './limits.ts';
import { automatonOf, type Automaton } from './pattern-automaton.ts';
import { readPattern } from './pattern-syntax.ts';

/** A compiled regex of a row. */
export class Matcher {
  readonly #automaton: Automaton;

  /** Throws when `patternFault` finds a fault in the source. */
  constructor(readonly source: string) {
    const syntax = readPattern(source);
    const automaton = syntax && automatonOf(syntax);
    if (!automaton) throw new Error(`The pattern ${JSON.stringify(source)} ${patternFault(source)}`);
    this.#automaton = automaton;
  }

  test(text: string): boolean {
    return this.#automaton.matches(text);
  }
}

/** Compiles the regex of a row. It has no anchors, and is applied to the whole value. @spec D1-2.5 */
export const compilePattern = (source: string): Matcher => new Matcher(source);

/** Returns why a row may not have this regex, if so. A regex without a fault is matched in bounded time. @gap D1-2.5 */
export function patternFault(source: string): string | undefined {
  if (source.length > PATTERN_CHARS) return `is longer than ${PATTERN_CHARS} characters: shorten it`;
  if (!isRegex(source)) return 'is no regular expression: write it as in ECMAScript with the u flag';
  const syntax = readPattern(source);
  if (!syntax) return 'uses anchors, look-around or back references: use characters, classes, plain groups, alternatives and repetitions';
  return automatonOf(syntax) ? undefined : `repeats too often: written out, it may have ${PATTERN_STATES} states at the most`;
}

/** Whether the source is a regex. It is compiled alone: inside another group it could close that group. */
function isRegex(source: string): boolean {
  try {
    void new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}
