import fc from 'fast-check';
import { PATTERN_CHARS, PATTERN_PLACES } from './limits.ts';
import { compilePattern, patternFault } from './pattern.ts';
import { SYSTEM_ROWS } from './system-rows.ts';

describe('a regex of a row @spec D1-2.5', () => {
  it('is applied to the whole value', () => {
    const regex = compilePattern('a|bc');
    expect(['a', 'bc', 'ac', 'abc', 'xa', 'a\n'].filter((text) => regex.test(text))).toEqual(['a', 'bc']);
  });

  it('sees characters, not halves of them', () => {
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
    `a{${PATTERN_PLACES}}`,
    `a{1,${PATTERN_PLACES}}`,
    'a'.repeat(PATTERN_CHARS),
  ])('may be %j', (source) => {
    expect(patternFault(source)).toBeUndefined();
  });

  it.each(['(', 'a)|(b', 'a{2,1}', '[b-a]', '\\-', '*', '\\p{Nope}', 'a)', ']'])('may not be %s, which is none', (source) => {
    expect(patternFault(source)).toMatch(/^is no regular expression: /);
  });

  it.each(['^a$', '(?=a)a', '(a)\\1', '(?<n>a)', '\\ba'])('may not be %s, which is more than characters', (source) => {
    expect(patternFault(source)).toMatch(/^uses anchors, /);
  });

  it('may not be endless', () => {
    expect(patternFault('a'.repeat(PATTERN_CHARS + 1))).toMatch(/^is longer than /);
  });

  it.each([
    '(a+)+',
    '(a|a)*',
    '(a|aa)+',
    '(a|ab)*',
    '\\d+\\d+',
    '.*a.*',
    'a*a',
    'a*[a-c]',
    '(x+x+)+y',
    '[^@\\s]+@[^@\\s]+\\.[^@\\s]+',
    '(\\d{1,3},?){1,3}',
    'a?a',
    'a?a?',
    '(?:ab)+a',
    'a{2,3}a',
    'a{2,}a',
    '(?:ab|ac)',
    'a(?:b|bc)d',
    '(?:x|a*)a',
    '(?:a|b*)(?:b|c)',
    '(?:ab){1,2}a',
    '\\w*\\d',
  ])('may not be %s, where a character goes two ways', (source) => {
    expect(patternFault(source)).toMatch(/^could take very long to match, a character could be matched in two ways: /);
  });

  it.each(['(a*)*', '(a?)+', '(?:a?){3}', '(?:a?)?', '(?:){9}', '(?:a*|b)+', '(?:a?b?){2,3}', '(?:a?b?)+', '(?:a|){0,5}'])(
    'may not be %s, which repeats nothing',
    (source) => {
      expect(patternFault(source)).toMatch(/what is repeated could be empty/);
    },
  );

  it.each(['(?:|)', '(?:a?|b?)', '(?:a*|b|c{0})'])('may not be %s, empty in two ways', (source) => {
    expect(patternFault(source)).toMatch(/two alternatives could both be empty/);
  });

  it.each([
    `a{${PATTERN_PLACES + 1}}`,
    `a{1,${PATTERN_PLACES + 1}}`,
    `a{${PATTERN_PLACES},}`,
    `a{${PATTERN_PLACES}}b`,
    'a{99999999999999999999}',
    'a{0,99999999999999999999}',
    'a{99999999999999999999,}',
    '(?:(?:a{50}){50}){50}',
  ])('may not be %s, which repeats too often', (source) => {
    expect(patternFault(source)).toMatch(/it repeats too often/);
  });
});

/** A pattern as a tree of the test's own, with a matcher that goes back wherever it can and counts its steps. */
type Tree = { char: string } | { all: Tree[] } | { any: Tree[] } | { body: Tree; min: number; max: number };
type Rest = (at: number) => boolean;

const sourceOf = (tree: Tree): string => {
  if ('char' in tree) return tree.char;
  if ('all' in tree) return tree.all.map(sourceOf).join('');
  if ('any' in tree) return `(?:${tree.any.map(sourceOf).join('|')})`;
  return `(?:${sourceOf(tree.body)}){${tree.min},${tree.max === Infinity ? '' : tree.max}}`;
};

function countSteps(tree: Tree, text: string): { steps: number; matched: boolean } {
  let steps = 0;
  const walk = (node: Tree, at: number, rest: Rest): boolean => {
    if (++steps > 200_000) throw new Error(`too many steps for ${sourceOf(tree)}`);
    if ('char' in node) return at < text.length && new RegExp(`^${node.char}$`, 'u').test(text[at]!) && rest(at + 1);
    if ('any' in node) return node.any.some((branch) => walk(branch, at, rest));
    if ('all' in node) return node.all.reduceRight<Rest>((next, part) => (from) => walk(part, from, next), rest)(at);
    const { body, min, max } = node;
    const less = { body, min: Math.max(min - 1, 0), max: max - 1 };
    const again = max > 0 && walk(body, at, (to) => (to > at || min > 0) && walk(less, to, rest));
    return again || (min === 0 && rest(at));
  };
  const matched = walk(tree, 0, (at) => at === text.length);
  return { steps, matched };
}

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '[bc]').map((char) => ({ char })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    fc.record({ body: tie('tree'), min: fc.nat(2), max: fc.constantFrom(2, 3, Infinity) }),
  ),
}));
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 30, maxLength: 60 });

describe('a regex that was let in', () => {
  it('costs a matcher that goes back no more than some steps for each character @gap D1-2.5', () => {
    let letIn = 0;
    const property = fc.property(tree, fc.array(text, { minLength: 3, maxLength: 3 }), (given, texts) => {
      if (patternFault(sourceOf(given))) return;
      letIn += 1;
      for (const one of texts) expect(countSteps(given, one).steps).toBeLessThan((one.length + 1) * (sourceOf(given).length + 1));
    });
    fc.assert(property, { numRuns: 1000 });
    expect(letIn).toBeGreaterThan(200);
  });

  it('is counted well: the same matcher drowns in a regex that is refused', () => {
    const nested: Tree = { body: { body: { char: 'a' }, min: 1, max: Infinity }, min: 1, max: Infinity };

    expect(countSteps({ body: { char: 'a' }, min: 1, max: Infinity }, 'aaa')).toEqual({ steps: 8, matched: true });
    expect(() => countSteps(nested, `${'a'.repeat(40)}b`)).toThrow('too many steps');
  });
});
