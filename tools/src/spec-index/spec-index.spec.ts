import { inTempTree } from '@codase/testing/temp-tree';
import { LEAVES, ROUTES } from '../spec/outline.ts';
import { markdown, printIndex } from './print.ts';
import type { Served } from './route-problems.ts';
import { specIndex } from './spec-index.ts';
import { collectTags } from './tags.ts';

const NOTHING: Served = { endpoints: [], served: new Set() };
const WHOAMI: Served = { endpoints: [{ name: 'whoami', method: 'GET', path: '/api/company-data/whoami' }], served: new Set(['whoami']) };
const SOURCE = { 'libs/domain/src/rule.ts': '/** A rule. @spec D1-6.3 */' };
const TEST = { 'libs/domain/src/rule.spec.ts': "it('holds @spec D1-6.3', () => {});" };

/** The list that is right for an empty repository, without some entries and with some more. */
function listing({ without = [] as string[], sections = [] as string[], partly = {}, routes = [] as string[] } = {}) {
  const all = { sections: LEAVES.map(({ id }) => id), routes: ROUTES.map(({ route }) => route) };
  const keep = (name: string) => !without.includes(name);
  return {
    'docs/not-built.json': JSON.stringify({
      sections: [...all.sections.filter(keep), ...sections],
      partly,
      routes: [...all.routes.filter(keep), ...routes],
    }),
  };
}

const indexOf = (files: Record<string, string>, served = NOTHING) => inTempTree(files, (root) => specIndex(root, served));
const problemsOf = async (files: Record<string, string>, served = NOTHING) => (await indexOf(files, served)).problems;

describe('the specification index', () => {
  it('accepts a repository in which nothing is built and everything is listed', async () => {
    expect(await problemsOf(listing())).toEqual([]);
  });

  it('accepts a section that is cited in a source and a test and is not listed', async () => {
    const index = await indexOf({ ...SOURCE, ...TEST, ...listing({ without: ['D1-6.3'] }) });

    expect(index.problems).toEqual([]);
    expect(index.sections.find(({ id }) => id === 'D1-6.3')).toMatchObject({
      state: 'built',
      files: ['libs/domain/src/rule.ts'],
      tests: ['libs/domain/src/rule.spec.ts'],
    });
    expect(index.sections.find(({ id }) => id === 'D1-6')).toMatchObject({ state: 'parent', files: [] });
  });

  it('counts a numbered point for its section, and contracts and SQL files as sources', async () => {
    const sources = {
      'libs/contracts/src/x.ts': "export const x = endpoint({ spec: 'D1-6.3' });",
      'apps/platform/src/services/feed/drain.sql': '-- @gap D1-6.3.2 oldest first',
      'apps/platform/test/services/feed/feed.spec.ts': "it('keeps order @spec D1-6.3.1', () => {});",
    };
    const index = await indexOf({ ...sources, ...listing({ without: ['D1-6.3'], sections: ['D1-6.3.4'] }) });

    expect(index.problems).toEqual([]);
    expect(index.sections.find(({ id }) => id === 'D1-6.3')!.files).toEqual([
      'apps/platform/src/services/feed/drain.sql',
      'libs/contracts/src/x.ts',
    ]);
  });

  it('accepts a partly built section that says what is missing', async () => {
    const index = await indexOf({
      ...SOURCE,
      ...TEST,
      ...listing({ without: ['D1-6.3'], partly: { 'D1-6.3': 'the stale-queue alerts' } }),
    });

    expect(index.problems).toEqual([]);
    expect(index.sections.find(({ id }) => id === 'D1-6.3')).toMatchObject({ state: 'partly', missing: 'the stale-queue alerts' });
    expect(printIndex(index)).toContain('~ what is missing\n  D1-6.3  the stale-queue alerts');
    expect(markdown(index)).toContain('| partly; missing: the stale-queue alerts |');
  });

  it('accepts a served route that is not listed', async () => {
    const index = await indexOf(listing({ without: ['GET /api/company-data/whoami'] }), WHOAMI);

    expect(index.problems).toEqual([]);
    expect(index.routes.filter(({ built }) => built).map(({ route }) => route)).toEqual(['GET /api/company-data/whoami']);
    expect(printIndex(index)).toContain('routes not built\n  POST /oauth2/token');
    expect(printIndex(index)).not.toContain('  GET /api/company-data/whoami');
  });

  it.each<[string, Record<string, string>, RegExp, Served?]>([
    ['a section cited nowhere and not listed', listing({ without: ['D1-6.3'] }), /^D1-6\.3 .* cited nowhere/],
    ['a section without a test', { ...SOURCE, ...listing({ without: ['D1-6.3'] }) }, /cited in libs\/domain\/src\/rule\.ts and in no test/],
    ['a section without a source', { ...TEST, ...listing({ without: ['D1-6.3'] }) }, /rule\.spec\.ts and in no source/],
    [
      'a section that only the testing library cites',
      { ...TEST, 'dev/testing/src/x.ts': '// @spec D1-6.3', ...listing({ without: ['D1-6.3'] }) },
      /in no source/,
    ],
    ['a section both built and listed', { ...SOURCE, ...TEST, ...listing() }, /D1-6\.3 is cited .* stands on/],
    [
      'a point both built and listed',
      {
        'apps/flows/src/a.ts': '// @spec D1-5.7',
        'apps/flows/src/a.spec.ts': '// @spec D1-5.7',
        ...listing({ without: ['D1-5'], sections: ['D1-5.7'] }),
      },
      /^D1-5\.7 is cited/,
    ],
    [
      'a section called partly built that is not',
      { ...TEST, ...listing({ without: ['D1-6.3'], partly: { 'D1-6.3': 'alerts' } }) },
      /says that D1-6\.3 is partly built/,
    ],
    ['an unknown section on the list', listing({ sections: ['D1-12'] }), /lists D1-12, which the specification does not have/],
    ['a heading with sections below it on the list', listing({ sections: ['D1-6'] }), /lists D1-6, which has sections below it/],
    ['a section listed twice', listing({ partly: {}, sections: ['D1-9'] }), /lists D1-9 twice/],
    ['an unknown tag', { 'apps/flows/src/x.ts': 'a\n// @spec D2-4.9', ...listing() }, /^apps\/flows\/src\/x\.ts:2 cites D2-4\.9/],
    ['a tag that is none', { 'e2e/test/x.spec.ts': '// @gap webhooks', ...listing() }, /cites webhooks/],
    ['a route neither served nor listed', listing({ without: ['GET /api/health'] }), /^GET \/api\/health is not served/],
    ['a route both served and listed', listing(), /^GET \/api\/company-data\/whoami is served and stands on/, WHOAMI],
    ['an unknown route on the list', listing({ routes: ['GET /api/nothing'] }), /lists GET \/api\/nothing/],
    ['a route listed twice', listing({ routes: ['GET /api/health'] }), /lists GET \/api\/health twice/],
    [
      'a contract whose route is not in the outline',
      listing(),
      /^PUT \/api\/x has a contract and no place/,
      { endpoints: [{ name: 'x', method: 'PUT', path: '/api/x' }], served: new Set() },
    ],
  ])('reports %s', async (_, files, sentence, served = NOTHING) => {
    const problems = await problemsOf(files, served);

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(sentence);
  });

  it('refuses a list of an invalid shape', async () => {
    await expect(indexOf({ 'docs/not-built.json': '{"sections": ["D1-1"]}' })).rejects.toThrow(/routes/);
  });
});

describe('specification tags', () => {
  it('are read up to the punctuation that follows them, several per line', async () => {
    const tags = await inTempTree({ 'libs/domain/src/a.ts': "// (@spec D1-7, @gap D2-7.) and `@spec D1-8`\nspec: 'D1-4.2'," }, collectTags);

    expect(tags.map(({ tag, line }) => [tag, line])).toEqual([
      ['D1-7', 1],
      ['D2-7', 1],
      ['D1-8', 1],
      ['D1-4.2', 2],
    ]);
  });
});

describe('the printed specification index', () => {
  it('shows each section, the files that cite it, and the totals', async () => {
    const index = await indexOf({
      ...SOURCE,
      ...TEST,
      'libs/domain/src/second.ts': '// @spec D1-6.3',
      ...listing({ without: ['D1-6.3'] }),
    });

    expect(printIndex(index)).toMatch(
      /^✓ {2}D1-6\.3 +Webhook delivery +libs\/domain\/src\/rule\.ts \+1 +libs\/domain\/src\/rule\.spec\.ts$/m,
    );
    expect(printIndex(index)).toContain(`sections: 1 built, 0 partly, ${LEAVES.length - 1} not built; routes: 0 of ${ROUTES.length} built`);
    expect(markdown(index)).toContain('| D1-6.3 | Webhook delivery | built | [libs/domain/src/rule.ts](../libs/domain/src/rule.ts)<br>');
  });
});
