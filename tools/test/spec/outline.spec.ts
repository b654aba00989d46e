import { inTempTree } from '@codase/testing/temp-tree';
import { specDocuments, type SpecDocuments } from './documents.ts';
import { isSameRoute, LEAVES, ROUTES, TAGS } from '../../src/spec/outline.ts';
import { routesIn, routesInCell, sectionsIn, type Mention } from './parse-document.ts';
import { SECTIONS } from '../../src/spec/sections.ts';

const named = (mentions: Mention[]) => mentions.map(({ method, path }) => `${method ?? '-'} ${path}`);

describe('the reader of the specification documents', () => {
  it('finds the documents in a given folder, in order of their file names', async () => {
    await inTempTree({ '1_b.txt': 'second', '0_a.txt': 'first', 'notes.md': '' }, (dir) => {
      expect(specDocuments(dir)).toEqual({ D1: 'first', D2: 'second' });
    });
  });

  it('returns nothing when the documents are not present', () => {
    expect(specDocuments('/nowhere')).toBeUndefined();
  });

  it('counts the points of a section, and ignores headings without a number', () => {
    const text = '# Title\n## 1. One\n1. a\n2. b\n### 1.1 Deeper\ntext\n### Unnumbered\n1. c';

    expect(sectionsIn('D1', text)).toEqual([
      { id: 'D1-1', title: 'One', points: 2 },
      { id: 'D1-1.1', title: 'Deeper', points: 1 },
    ]);
  });

  it.each([
    ['GET /a', ['GET /a']],
    ['GET and POST /a/b', ['GET /a/b', 'POST /a/b']],
    ['POST /a, PUT /a/{id}', ['POST /a', 'PUT /a/{id}']],
    ['GET /a, Some Thing, /b/*', ['GET /a', 'GET /b/*']],
    ['GET /a (query b)', ['GET /a']],
    ['POST /a/{id}/x, .../x/y; GET .../z/{k}; POST /b', ['POST /a/{id}/x', 'POST /a/{id}/x/y', 'GET /a/{id}/z/{k}', 'POST /b']],
    ['/a/b*', ['- /a/b*']],
  ])('reads the routes in the table cell «%s»', (cell, expected) => {
    expect(named(routesInCell(cell))).toEqual(expected);
  });

  it('finds routes in tables and in running text', () => {
    const text = [
      'See GET /api/x?y=<id>. Post to POST {forwarder_url}/call.',
      '',
      '| Method and path | Why |\n|---|---|\n| PUT /b | all under /api/z* |',
      '',
      '| Other | Why |\n|---|---|\n| GET /no | - |',
    ].join('\n');

    expect(named(routesIn(text))).toEqual(['PUT /b', 'GET /api/x', 'POST /call', '- /api/z*']);
  });
});

describe('the outline of the specification', () => {
  it('lists the sections of the lowest headings, and lets tags name their points', () => {
    expect(LEAVES.map(({ id }) => id)).toEqual(expect.arrayContaining(['D1-2.5', 'D1-7', 'D2-9']));
    expect(LEAVES.map(({ id }) => id)).not.toContain('D1-2');
    expect(['D1-2', 'D1-5.7', 'D1-6.3.1'].every((tag) => TAGS.has(tag))).toBe(true);
    expect(['D1-5.11', 'D1-2.13', 'D3-1'].some((tag) => TAGS.has(tag))).toBe(false);
  });

  it('lists every route once, and under a known section', () => {
    const twice = ROUTES.filter(({ route }, i) => ROUTES.some((other, j) => j !== i && isSameRoute(other.route, route)));

    expect(twice).toEqual([]);
    expect(ROUTES.filter(({ section }) => !TAGS.has(section))).toEqual([]);
  });

  it.each([
    ['GET /a/{id}', 'GET /a/{serviceId}', true],
    ['GET /a/{id}', 'PUT /a/{id}', false],
    ['GET /a', 'GET /a/b', false],
    ['ANY /a/{id}/b*', 'PUT /a/{x}/bc/d', true],
    ['ANY /a', 'PUT /a', true],
    ['ANY /a', 'PUT /ab', false],
  ])('matches %s with %s: %s', (outlined, concrete, same) => {
    expect(isSameRoute(outlined, concrete)).toBe(same);
  });
});

/** The documents are not part of the repository. When they are at hand, the outline is compared with them both ways. */
function compareWith({ D1, D2 }: SpecDocuments): void {
  const mentions = [...routesIn(D1), ...routesIn(D2)];
  const spells = ({ method, path }: Mention, route: string) => method !== undefined && isSameRoute(`${method} ${path}`, route);
  /** A path without a method may be a folder or a pattern: any route below it will do. */
  const covers = (route: string, { method, path }: Mention) =>
    isSameRoute(method ? `${method} ${path}` : `ANY ${path.replace(/\*?$/, '*')}`, route);

  it('has all sections of the documents, with their titles and points', () => {
    expect([...sectionsIn('D1', D1), ...sectionsIn('D2', D2)]).toEqual(SECTIONS);
  });

  it('has every route that the documents name', () => {
    expect(mentions.filter((mention) => !ROUTES.some(({ route }) => covers(route, mention)))).toEqual([]);
  });

  it('marks a route as specified only when the documents show it', () => {
    expect(ROUTES.filter(({ route, gap }) => !gap && !mentions.some((mention) => spells(mention, route)))).toEqual([]);
  });

  it('marks a route as our own only when the documents do not show it', () => {
    expect(ROUTES.filter(({ route, gap }) => gap && mentions.some((mention) => spells(mention, route)))).toEqual([]);
  });
}

const documents = specDocuments();
if (documents) {
  describe('the outline, compared with the specification documents', () => {
    compareWith(documents);
  });
}
