import fc from 'fast-check';
import { LIMITS } from '../definition/limits.ts';
import { isAddress, parseText, type TextNode } from './parse-text.ts';

const text = (words: string): TextNode => ({ kind: 'text', text: words });
const bold = (...children: TextNode[]): TextNode => ({ kind: 'bold', children });
const italic = (...children: TextNode[]): TextNode => ({ kind: 'italic', children });
const link = (href: string, ...children: TextNode[]): TextNode => ({ kind: 'link', href, children });
const value = (key: string): TextNode => ({ kind: 'value', key });

const childrenOf = (node: TextNode): readonly TextNode[] => ('children' in node ? node.children : []);
const allNodes = (nodes: readonly TextNode[]): TextNode[] => nodes.flatMap((node) => [node, ...allNodes(childrenOf(node))]);
const depth = (nodes: readonly TextNode[]): number =>
  Math.max(0, ...nodes.map((node) => ('children' in node ? 1 + depth(node.children) : 0)));

describe('the text parser @spec D2-2.6', () => {
  it.each<[string, TextNode[]]>([
    ['', []],
    ['plain', [text('plain')]],
    ['a [b]bold[/b] word', [text('a '), bold(text('bold')), text(' word')]],
    ['[b][i]both[/i][/b]', [bold(italic(text('both')))]],
    ['[a href=https://a.example/?q=1#x]here[/a]', [link('https://a.example/?q=1#x', text('here'))]],
    ['[a href=mailto:a@b.example]mail[/a]', [link('mailto:a@b.example', text('mail'))]],
    ['[a href=tel:+43316]call [b]now[/b][/a]', [link('tel:+43316', text('call '), bold(text('now')))]],
    ['{{rent}} for {{tenant.first_name}}', [value('rent'), text(' for '), value('tenant.first_name')]],
    ['{{firm.company.id}}', [value('firm.company.id')]],
    ['[b]{{rent}}[/b]', [bold(value('rent'))]],
    ['[b][/b]', [bold()]],
  ])('parses %j into the expected tree', (source, tree) => {
    expect(parseText(source)).toEqual(tree);
  });

  it.each<[string, string]>([
    ['\\[b]not bold\\[/b]', '[b]not bold[/b]'],
    ['\\{{rent}}', '{{rent}}'],
    ['{\\{rent}}', '{{rent}}'],
    ['a \\\\ b', 'a \\ b'],
    ['\\]', ']'],
    ['\\a \\}', '\\a \\}'],
    ['ends with \\', 'ends with \\'],
    ['\\\\[b', '\\[b'],
    ['{{no space }} {{9}} {{a..b}} {{a.b.c.d}} {{}} {rent}', '{{no space }} {{9}} {{a..b}} {{a.b.c.d}} {{}} {rent}'],
    ['[u]under[/u] [B]big[/B] [b ]', '[u]under[/u] [B]big[/B] [b ]'],
    ['[a]x [a href=]y [a href= https://a.example]z', '[a]x [a href=]y [a href= https://a.example]z'],
    ['1 < 2 <b>and</b> <script>', '1 < 2 and '],
    ['&lt;b&gt;', '&lt;b&gt;'],
  ])('parses %j as plain text', (source, words) => {
    expect(parseText(source)).toEqual([text(words)]);
  });

  it('parses a tag after an escaped backslash', () => {
    expect(parseText('\\\\[b]x[/b]')).toEqual([text('\\'), bold(text('x'))]);
  });

  it('removes HTML before it parses tags and checks link addresses', () => {
    expect(parseText('[a href=java<b>script:alert(1)]x[/a]')).toEqual([text('x')]);
    expect(parseText('{{re<i>nt}}')).toEqual([value('rent')]);
  });
});

describe('the text parser with malformed markup @gap D2-2.6', () => {
  it.each<[string, string, TextNode[]]>([
    ['an open tag ends with the text', 'a [b]b [i]c', [text('a '), bold(text('b '), italic(text('c')))]],
    ['a closing tag ends what was opened inside', '[b]x[i]y[/b]z', [bold(text('x'), italic(text('y'))), text('z')]],
    ['a closing tag of nothing stays', 'x[/b] y[/a]', [text('x[/b] y[/a]')]],
    ['a link in a link stays', '[a href=tel:1]x[a href=tel:2]y[/a]z', [link('tel:1', text('x[a href=tel:2]y')), text('z')]],
    ['a link in a link that is none stays too', '[a href=x:1]x[a href=tel:2]y[/a]', [text('x[a href=tel:2]y')]],
  ])('is lenient: %s', (_what, source, tree) => {
    expect(parseText(source)).toEqual(tree);
  });

  it('treats tags beyond the maximum nesting as text', () => {
    const opened = '[b]'.repeat(LIMITS.text_levels + 3);
    expect(depth(parseText(`${opened}x`))).toBe(LIMITS.text_levels);
    expect(allNodes(parseText(`${opened}x`)).at(-1)).toEqual(text('[b][b][b]x'));
  });

  it('truncates a text at the maximum length', () => {
    expect(parseText('x'.repeat(LIMITS.text + 5))).toEqual([text('x'.repeat(LIMITS.text))]);
  });
});

describe('a link address in a text @spec D2-2.6', () => {
  it.each([
    'javascript:alert(1)',
    'http://a.example',
    'HTTPS://a.example',
    'data:text/html,x',
    '//a.example',
    'https',
    'https:',
    'ftp://a',
    ' https://a',
    'vbscript:x',
    'file:///etc/passwd',
    'https://a.example/"onclick="x',
    'https://a/<b',
    'https://a/>',
    'https://a/\u202Egro',
    'https://a/\u0000',
    'https://a/\u00A0b',
    'https:\\\\a',
    'https://a/{{rent}}',
    'https://a/`x',
    'https://a/[x]',
    `https://a/${'x'.repeat(2048)}`,
    'xhttps://a',
    'telx:1',
  ])('may not be %j', (href) => {
    expect(isAddress(href)).toBe(false);
    expect(allNodes(parseText(`[a href=${href}]x[/a]`)).filter(({ kind }) => kind === 'link')).toEqual([]);
  });

  it.each([
    'https://a.example',
    "https://a/'x",
    'https://münchen.example/straße',
    'mailto:a@b.example?subject=x',
    'tel:+43-316-1',
    'https:a',
  ])('may be %j', (href) => {
    expect(isAddress(href)).toBe(true);
  });

  it('may have up to the maximum length', () => {
    expect(isAddress(`https://a/${'x'.repeat(2038)}`)).toBe(true);
    expect(isAddress(`https://a/${'x'.repeat(2039)}`)).toBe(false);
  });

  it('is removed when it is not allowed, while the text of the link stays', () => {
    expect(parseText('[a href=javascript:x]see [b]this[/b][/a]!')).toEqual([text('see '), bold(text('this')), text('!')]);
  });

  it('is always an allowed one in the parsed tree of any text', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom(
        '[a href=',
        ']',
        '[/a]',
        '[b]',
        '[/b]',
        '[i]',
        '\\',
        '{{x}}',
        'https:',
        'javascript:',
        'mailto:',
        'tel:',
        'data:',
        '<b>',
        '<',
        '>',
        '\t',
        '"',
        '//x',
        '\u202E',
        '\u0000',
        '\u00A0',
      ),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 25 }).map((parts) => parts.join('')),
        (source) => {
          const nodes = allNodes(parseText(source));
          for (const node of nodes) expect(node.kind === 'link' ? node.href : 'https://ours').toMatch(/^(https|mailto|tel):[^\s"<>`]+$/);
          expect(depth(parseText(source))).toBeLessThanOrEqual(LIMITS.text_levels);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
