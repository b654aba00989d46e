import { inTempTree } from '@codase/testing/temp-tree';
import { specDocuments, type SpecDocuments } from './documents.ts';
import { isSameRoute, LEAVES, ROUTES, TAGS } from './outline.ts';
import { routesIn, routesInCell, sectionsIn, type Mention } from './parse-document.ts';
import { SECTIONS } from './sections.ts';

const named = (mentions: Mention[]) => mentions.map(({ method, path }) => `${method ?? '-'} ${path}`);

describe('reading the documents', () => {
  it('finds them in a given folder, first document first', async () => {
    await inTempTree({ '1_b.txt': 'second', '0_a.txt': 'first', 'notes.md': '' }, (dir) => {
      expect(specDocuments(dir)).toEqual({ D1: 'first', D2: 'second' });
    });
  });

  it('goes without them where they are not', () => {
    expect(specDocuments('/nowhere')).toBeUndefined();
  });

  it('counts the points of a section and knows no heading without a number', () => {
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
  ])('reads the cell «%s»', (cell, expected) => {
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

describe('the outline', () => {
  it('judges sections at the lowest heading and lets tags name their points', () => {
    expect(LEAVES.map(({ id }) => id)).toEqual(expect.arrayContaining(['D1-2.5', 'D1-7', 'D2-9']));
    expect(LEAVES.map(({ id }) => id)).not.toContain('D1-2');
    expect(['D1-2', 'D1-5.7', 'D1-6.3.1'].every((tag) => TAGS.has(tag))).toBe(true);
    expect(['D1-5.11', 'D1-2.13', 'D3-1'].some((tag) => TAGS.has(tag))).toBe(false);
  });

  it('lists no route twice and none under an unknown section', () => {
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
  ])('%s names %s: %s', (outlined, concrete, same) => {
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

  it('has their sections, titles and points', () => {
    expect([...sectionsIn('D1', D1), ...sectionsIn('D2', D2)]).toEqual(SECTIONS);
  });

  it('has every route they name', () => {
    expect(mentions.filter((mention) => !ROUTES.some(({ route }) => covers(route, mention)))).toEqual([]);
  });

  it('says that they show a route only where they do', () => {
    expect(ROUTES.filter(({ route, gap }) => !gap && !mentions.some((mention) => spells(mention, route)))).toEqual([]);
  });

  it('calls a route ours only where they do not show it', () => {
    expect(ROUTES.filter(({ route, gap }) => gap && mentions.some((mention) => spells(mention, route)))).toEqual([]);
  });
}

const documents = specDocuments();
if (documents) {
  describe('the outline and the documents', () => {
    compareWith(documents);
  });
}
