import { PATTERN_CHARS } from './limits.ts';
import { ambiguityOf } from './pattern-ambiguity.ts';
import { readPattern } from './pattern-syntax.ts';

/** Rows carry regexes without anchors, applied to the whole value. @spec D1-2.5 */
export const compilePattern = (source: string): RegExp => new RegExp(`^(?:${source})$`, 'u');

/** Why a row may not carry this regex; undefined when it may. Only such regexes pass that match in linear time. @gap D1-2.5 */
export function patternFault(source: string): string | undefined {
  if (source.length > PATTERN_CHARS) return `is longer than ${PATTERN_CHARS} characters: shorten it`;
  if (!compiled(source)) return 'is no regular expression: write it as in ECMAScript with the u flag';
  const syntax = readPattern(source);
  if (!syntax) return 'uses anchors, look-around or back references: use characters, classes, plain groups, alternatives and repetitions';
  const ambiguity = ambiguityOf(syntax);
  return ambiguity && `could take very long to match, ${ambiguity}: rewrite it so that each character can be matched in one way only`;
}

/** Compiled alone, so that it cannot close the group it will be wrapped in. */
function compiled(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}
