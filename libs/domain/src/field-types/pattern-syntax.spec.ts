import { readPattern, type Syntax } from './pattern-syntax.ts';

/** Prints the tree so that a test can be read: sequences by blanks, choices by bars, bounds behind a colon. */
function printed(syntax: Syntax): string {
  switch (syntax.kind) {
    case 'char':
      return syntax.source;
    case 'sequence':
      return syntax.parts.map(printed).join(' ');
    case 'choice':
      return syntax.branches.length === 1 ? printed(syntax.branches[0]!) : `<${syntax.branches.map(printed).join('|')}>`;
    case 'repeat':
      return `{${printed(syntax.body)}:${syntax.min},${syntax.max}}`;
  }
}

describe('the pattern parser', () => {
  it.each([
    ['', ''],
    ['ab', 'a b'],
    ['a|bc|', '<a|b c|>'],
    ['(a|b)c', '<a|b> c'],
    ['(?:a(b))c', 'a b c'],
    ['a*b+c?', '{a:0,Infinity} {b:1,Infinity} {c:0,1}'],
    ['a*?b+?c??', '{a:0,Infinity} {b:1,Infinity} {c:0,1}'],
    ['a{2}b{2,}c{2,3}', '{a:2,2} {b:2,Infinity} {c:2,3}'],
    ['a{10}?b{0,12}?', '{a:10,10} {b:0,12}'],
    ['(ab)+', '{a b:1,Infinity}'],
    ['[a\\]b]+[^c]', '{[a\\]b]:1,Infinity} [^c]'],
    ['[(|)]', '[(|)]'],
    ['\\(\\|\\)\\\\', '\\( \\| \\) \\\\'],
    ['\\p{L}\\P{Lu}\\u{1f600}\\u00e9\\x41\\cJ\\d.', '\\p{L} \\P{Lu} \\u{1f600} \\u00e9 \\x41 \\cJ \\d .'],
    ['😀é', '😀 é'],
    ['\n', '\n'],
  ])('parses %j into the expected tree', (source, tree) => {
    expect(printed(readPattern(source)!)).toBe(tree);
  });

  it.each(['^a', 'a$', '\\ba', 'a\\B', '(a)\\1', '(?<x>a)\\k<x>', '\\k', '(?<x>a)', '(?=a)', '(?!a)', '(?<=a)', '(?<!a)b', '(?:(?=a))'])(
    'refuses the unsupported construct %s',
    (source) => {
      expect(readPattern(source)).toBeUndefined();
    },
  );

  it.each(['[$^]', '\\^\\$', '[\\b]', '\\0'])('accepts %s although it resembles an unsupported construct', (source) => {
    expect(readPattern(source)).toBeDefined();
  });
});
