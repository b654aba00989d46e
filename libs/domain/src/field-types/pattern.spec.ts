import fc from 'fast-check';
import { PATTERN_CHARS, TEXT_CHARS } from './limits.ts';
import { compilePattern, patternFault } from './pattern.ts';
import { SYSTEM_ROWS } from './system-rows.ts';

describe('a regex of a field type @spec D1-2.5', () => {
  it('must match the whole value', () => {
    const regex = compilePattern('a|bc');
    expect(['a', 'bc', 'ac', 'abc', 'xa', 'a\n'].filter((text) => regex.test(text))).toEqual(['a', 'bc']);
  });

  it('matches whole characters, not UTF-16 units', () => {
    expect(compilePattern('.').test('😀')).toBe(true);
  });

  const carried = SYSTEM_ROWS.flatMap(({ validation, fields }) => [validation, ...(fields ?? []).map((field) => field.validation)]);

  it.each([
    ...carried.filter((source) => source !== null),
    '',
    'a',
    '.*',
    '[A-Z]{2}-[0-9]+',
    '\\p{L}+',
    '[a-z]+(?:-[a-z]+)*',
    '-?[0-9]+(?:\\.[0-9]+)?',
    'Mrs?',
    '(?:red|green|blue)(?:,(?:red|green|blue))*',
    'a||b',
    'a{0}',
    '(?:ab){2,3}',
    '(?:a|b){3,}',
    'a{0}b',
    'x(?:a?)y',
    '(?:a*b)+',
    'a*',
    'é+è',
    '[^,]+, [A-Z]{2}',
    'a{2499}',
    'a{1,1200}',
    '([01]?[0-9]|2[0-3]):[0-5][0-9]',
    '#([0-9a-f]{3}|[0-9a-f]{6})',
    'a|ab',
    'Mr|Mrs',
    '[^@\\s]+@[^@\\s]+\\.[^@\\s]+',
    '(\\d{1,3},?){1,3}',
    '(a+)+',
    '(a*)*',
    '(?:a?){3}',
    '(?:|)',
    '(?:){9}',
    '.*a.*',
    'a'.repeat(PATTERN_CHARS),
  ])('is accepted as %j', (source) => {
    expect(patternFault(source)).toBeUndefined();
  });

  it.each(['(', 'a)|(b', 'a{2,1}', '[b-a]', '\\-', '*', '\\p{Nope}', 'a)', ']'])(
    'is rejected as %s, which is not valid syntax',
    (source) => {
      expect(patternFault(source)).toMatch(/^is no regular expression: /);
    },
  );

  it.each(['^a$', '(?=a)a', '(a)\\1', '(?<n>a)', '\\ba'])('is rejected as %s, which uses an unsupported construct', (source) => {
    expect(patternFault(source)).toMatch(/^uses anchors, /);
  });

  it('is rejected when it exceeds the maximum length', () => {
    expect(patternFault('a'.repeat(PATTERN_CHARS + 1))).toMatch(/^is longer than /);
  });

  it.each([
    'a{2501}',
    'a{1,1300}',
    'a{2500,}',
    '(?:a?){1000}b{1000}',
    '(?:){99999999999999999999}',
    '(?:(?:){2000}){2000}|a{99999}',
    'a{99999999999999999999}',
    'a{0,99999999999999999999}',
    'a{99999999999999999999,}',
    '(?:(?:a{50}){50}){50}',
  ])('is rejected as %s, which repeats too often', (source) => {
    expect(patternFault(source)).toMatch(/^repeats too often: /);
  });
});

/** Patterns of every construct that rows may use, over few letters, so that texts match often. */
const { source } = fc.letrec<{ source: string }>((tie) => ({
  source: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '[bc]', '\\p{L}', '\\u{1F600}', '😀'),
    fc.array(tie('source'), { minLength: 1, maxLength: 3 }).map((all) => all.join('')),
    fc.array(tie('source'), { minLength: 1, maxLength: 3 }).map((any) => `(${any.join('|')})`),
    fc.tuple(tie('source'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?')).map(([body, times]) => `(?:${body})${times}`),
  ),
}));
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '😀', '\n'), maxLength: 8 });

describe('a compiled regex of a field type', () => {
  it('agrees with the ECMAScript engine on every text @spec D1-2.5', () => {
    let matched = 0;
    const property = fc.property(source, fc.array(text, { minLength: 5, maxLength: 5 }), (given, texts) => {
      const [ours, theirs] = [compilePattern(given), new RegExp(`^(?:${given})$`, 'u')];
      for (const one of texts) {
        expect([given, one, ours.test(one)]).toEqual([given, one, theirs.test(one)]);
        matched += theirs.test(one) ? 1 : 0;
      }
    });
    fc.assert(property, { numRuns: 1000 });
    expect(matched).toBeGreaterThan(200);
  });

  it.each(['(a+)+', '(a|a)*', '(a|aa)+', '(x+x+)+y', '(a*)*', '(.*)*a', '(?:a?){600}a{600}', '([a-z]+)*[a-z]+'])(
    'matches the longest value by %s in bounded time, without catastrophic backtracking @gap D1-2.5',
    (given) => {
      const matcher = compilePattern(given);
      expect(matcher.test(`${'a'.repeat(TEXT_CHARS - 1)}!`)).toBe(false);
    },
  );

  it('cannot be compiled from a rejected pattern', () => {
    expect(() => compilePattern('^a')).toThrow('The pattern "^a" uses anchors');
  });
});
