import { ROOT } from '../command/root.ts';
import { declaredIn } from '../architecture/declared-names.ts';
import { readSources } from '../architecture/sources.ts';
import { nodes, parse } from '../architecture/syntax.ts';
import { inTempTree } from '@codase/testing/temp-tree';
import { changelogProblems } from './changelog.ts';
import { classNameProblems } from './class-names.ts';
import { decisionProblems } from './decisions.ts';
import { glossaryProblems } from './glossary.ts';
import { longLines, unclearOpenings } from './source-lines.ts';
import { measurementProblems } from './measurements.ts';
import { missingPaths } from './named-paths.ts';
import { retiredNames } from './retired-names.ts';

describe('retired words', () => {
  it.each([
    ['export const toldEvent = 1;', 'toldEvent'],
    ['export async function makeTold() {}', 'makeTold'],
    ['export abstract class TOLD {}', 'TOLD'],
    ['export interface Told {}', 'Told'],
    ['export type ToldX = string;', 'ToldX'],
    ['export enum Tolds { a }', 'Tolds'],
    ["export { x as told } from './x.ts';", 'told'],
    ["export type { TOLD_ROWS } from './x.ts';", 'TOLD_ROWS'],
    ['export const { a: told, ...rest } = x, [toldToo] = y;', 'told'],
    ['const f = (told) => 1;', 'told'],
    ['function f({ x: [told = 1] }: X) {}', 'told'],
    ['try { f(); } catch (told) {}', 'told'],
    ['class X { #told = 1; }', 'told'],
    ['class X { get told() { return 1; } }', 'told'],
    ['class X { constructor(private readonly told: string) {} }', 'told'],
    ['interface X { told: string }', 'told'],
    ['const x = { told: 1 };', 'told'],
  ])('are found in what a file declares: %s', async (source, name) => {
    const found = await inTempTree({ 'apps/x/src/a.ts': source }, (root) =>
      retiredNames(readSources(root), [{ word: 'told', instead: 'presented' }]),
    );

    expect(found[0]).toBe(`apps/x/src/a.ts: ${name} has the retired word "told": rather presented.`);
  });

  it('are found in file names with any suffix', async () => {
    const files = { 'libs/x/src/told-event.store.ts': '', 'libs/x/src/told.ts': '', 'libs/x/src/stolds.ts': '' };

    const found = await inTempTree(files, (root) => retiredNames(readSources(root), [{ word: 'told', instead: 'presented' }]));

    expect(found).toHaveLength(2);
  });

  it('are ignored inside other words, in words of the specification, and in names that belong to others', async () => {
    const source = 'export const Plane = () => airport.lane(lane);\nexport type Lane = string;\nexport const row = { lane_id: 1 };';

    expect(
      await inTempTree({ 'libs/x/src/a.ts': source }, (root) =>
        retiredNames(readSources(root), [{ word: 'lane', instead: 'x', except: ['Lane'] }]),
      ),
    ).toEqual([]);
  });

  it('are ignored in the members of tests, in migrations, and in files that may have them', async () => {
    const files = {
      'libs/x/src/a.spec.ts': 'const x = { told: 1 };',
      'apps/x/src/migrations/a.ts': 'const told = 1;',
      'libs/y/src/a.ts': 'const told = 1;',
    };
    const words = [{ word: 'told', instead: 'presented', files: ['libs/y/'] }];

    expect(await inTempTree(files, (root) => retiredNames(readSources(root), words))).toEqual([]);
  });

  it.each([
    ["log.warn('the teller failed', { error });"],
    ['this.log.error(`the teller ${name} failed`);'],
    ["throw new Error('The teller failed.');"],
    ["throw new Refusal('x').because('The teller failed.');"],
  ])('are found in the message: %s', async (source) => {
    const find = (isEveryday: boolean) =>
      inTempTree({ 'libs/x/src/a.ts': source }, (root) =>
        retiredNames(readSources(root), [{ word: 'teller', instead: 'writer', isEveryday }]),
      );

    expect(await find(false)).toEqual([expect.stringContaining('has the retired word "teller": rather writer.')]);
    expect(await find(true)).toEqual([]);
  });

  it('may be retired for constants alone', async () => {
    const files = { 'libs/x/src/a.ts': 'const MOST_ROWS = 1;\nconst most = 1;' };
    const words = [{ word: 'most', instead: 'MAX_', isConstant: true }];

    expect(await inTempTree(files, (root) => retiredNames(readSources(root), words))).toEqual([expect.stringContaining('MOST_ROWS has')]);
  });

  it('are accepted within a longer term that has another meaning', async () => {
    const files = { 'libs/x/src/a.ts': 'export const FRONT_DOOR_URL = 1;\nexport const openDoor = 2;' };
    const words = [{ word: 'door', instead: 'HTTP server', unlessIn: ['front-door'] }];

    expect(await inTempTree(files, (root) => retiredNames(readSources(root), words))).toEqual([expect.stringContaining('openDoor has')]);
  });

  it('are searched in the names that an export has for its importers', () => {
    const source = "export { a as b } from './a.ts';\nexport * from './c.ts';\nexport const [d, { e }] = f;";

    expect(declaredIn(nodes(parse(source, 'x.ts'))).names).toEqual(['b', 'd', 'e']);
  });
});

describe('a class', () => {
  const problems = (file: string, source: string) => inTempTree({ [file]: source }, (root) => classNameProblems(readSources(root)));

  it.each([
    ['apps/x/src/run-starter.service.ts', 'export class RunStarter {}'],
    ['apps/x/src/relay.worker.ts', 'export class RelayWorker {}'],
    ['apps/x/src/pdf-filler.service.ts', 'export class PDFFiller {}'],
    ['apps/x/src/two.service.ts', 'export class A {}\nexport class B {}'],
    ['apps/x/src/plain.ts', 'export class Other {}'],
  ])('may have the name of its file, with or without its suffix, and stand beside others: %s', async (file, source) => {
    expect(await problems(file, source)).toEqual([]);
  });

  it('is refused when its file has another name', async () => {
    expect(await problems('apps/x/src/starts.service.ts', 'export class RunStarter {}')).toEqual([
      'apps/x/src/starts.service.ts: its one class is RunStarter: name the file run-starter.service.ts, or the class as the file.',
    ]);
  });

  it('is refused when it is a gerund', async () => {
    expect(await problems('libs/x/src/starts.ts', 'export class RunStarting {}')).toEqual([
      expect.stringContaining('RunStarting is a gerund'),
    ]);
    expect(await problems('libs/x/src/keyring.ts', 'export class Keyring {}')).toEqual([]);
  });
});

describe('the glossary', () => {
  const problems = (rows: string) =>
    inTempTree({ 'docs/glossary.md': `# G\n\n## T\n\n| term | meaning | where |\n|---|---|---|\n${rows}` }, glossaryProblems);

  it('of this repository has no problems', () => {
    expect(glossaryProblems(ROOT)).toEqual([]);
  });

  it('must have each term once, in order, with its meaning and where it is defined', async () => {
    expect(await problems('| a | x | y |\n| `B` | x | y |\n| c | x | y |')).toEqual([]);
    expect(await problems('| b | x | y |\n| a | x | y |')).toEqual([expect.stringContaining('"b" stands before')]);
    expect(await problems('| a | x | y |\n| A | z | y |')).toEqual([expect.stringContaining('"A" stands twice')]);
    expect(await problems('| a | x |\n| b |  | y |')).toHaveLength(2);
  });
});

describe('the decisions', () => {
  const FOLDER = 'docs/decisions';
  const page = '# 1. A title\n\nStatus: accepted · Date: 2026-11-15 · Supersedes: none\n';
  const index = '| [1](0001-a-title.md) | A title | accepted |';
  const problems = (first: string, rows: string, more: Readonly<Record<string, string>> = {}) =>
    inTempTree({ [`${FOLDER}/0001-a-title.md`]: first, [`${FOLDER}/README.md`]: rows, ...more }, decisionProblems);

  it('of this repository have a status, a date and a row in the index', () => {
    expect(decisionProblems(ROOT)).toEqual([]);
  });

  it('are reported when their status, date, number or index row is wrong or missing', async () => {
    expect(await problems(page, index)).toEqual([]);
    expect(await problems(page.replace('Status: accepted · ', ''), index)).toHaveLength(2);
    expect(await problems(page.replace('2026-11-15', 'today'), index)).toEqual([expect.stringContaining('Date')]);
    expect(await problems(page.replace('Supersedes: none', ''), index)).toEqual([expect.stringContaining('Supersedes')]);
    expect(await problems(page.replace('none', 'what is old'), index)).toEqual([expect.stringContaining('Supersedes')]);
    expect(await problems(page.replace('# 1.', '# 2.'), index)).toEqual([expect.stringContaining('first line')]);
  });

  it('have the title as the name of their file', async () => {
    expect(await problems(page.replace('A title', "Use a server's clock"), index.replace('A title', "Use a server's clock"))).toEqual([
      `${FOLDER}/0001-a-title.md: its title wants the file name 0001-use-a-servers-clock.md.`,
    ]);
  });

  describe('that a later page replaces', () => {
    const later = (supersedes: string) => ({
      [`${FOLDER}/0002-b.md`]: `# 2. B\n\nStatus: accepted · Date: 2026-11-16 · Supersedes: ${supersedes}\n`,
    });
    const both = (status: string, supersedes: string) =>
      problems(
        page.replace('accepted', status),
        `${index.replace('accepted', status)}\n| [2](0002-b.md) | B | accepted |`,
        later(supersedes),
      );

    it('say so, and the later page says the same', async () => {
      expect(await both('superseded by 2', '1')).toEqual([]);
      expect(await both('accepted, amended by 2', 'part of 1')).toEqual([]);
    });

    it('are found when only one of both says it', async () => {
      expect(await both('accepted', 'part of 1')).toEqual([expect.stringContaining('its status does not say "amended by 2"')]);
      expect(await both('accepted, amended by 2', 'none')).toEqual([expect.stringContaining('does not say "Supersedes: part of 1"')]);
      expect(await both('accepted', '1')).toEqual([expect.stringContaining('its status does not say "superseded by 2"')]);
      expect(await both('superseded by 2', 'none')).toEqual([expect.stringContaining('does not say "Supersedes: 1"')]);
      expect(await both('accepted', 'part of 7')).toEqual([expect.stringContaining('decision 7, which has no page')]);
    });
  });

  it('stand once in the index, and a number without a page has moved to a measurement that exists', async () => {
    const moved = (target: string) => `${index}\n| [3](${target}) | C | moved to measurements |`;

    expect(await problems(page, `${index}\n${index}`)).toHaveLength(2);
    expect(await problems(page, `${index}\n| [4](0004-d.md) | D | accepted |`)).toEqual([expect.stringContaining('no page has the row')]);
    expect(await problems(page, moved('../measurements/c.md'), { 'docs/measurements/c.md': '# C' })).toEqual([]);
    expect(await problems(page, moved('../measurements/none.md'))).toEqual([expect.stringContaining('which does not exist')]);
    expect(await problems(page, index.replace('accepted', 'moved to measurements'))).toHaveLength(2);
  });
});

describe('the measurements', () => {
  const facts = '- Date: 2026-11-15\n- Machine: two cores\n- Command: `npm run bench -- bus`\n';
  const problems = (page: string, index = '| [A](a.md) | x |') =>
    inTempTree({ 'docs/measurements/a.md': page, 'docs/measurements/README.md': index }, measurementProblems);

  it('of this repository say when, where and how they were taken', () => {
    expect(measurementProblems(ROOT)).toEqual([]);
  });

  it('say it in each section, or once in a page without sections', async () => {
    expect(await problems(`# A\n\n${facts}`)).toEqual([]);
    expect(await problems(`# A\n\n## 1. B\n\n${facts}\n## 2. C\n\n${facts.replace('Machine', 'Place')}`)).toEqual([
      'docs/measurements/a.md: "2. C" has no line "- Machine".',
    ]);
    expect(await problems(`# A\n\n${facts.replace('2026-11-15', 'today')}`)).toHaveLength(1);
    expect(await problems('# A\n')).toHaveLength(3);
  });

  it('stand in the index', async () => {
    expect(await problems(`# A\n\n${facts}`, '')).toEqual(['docs/measurements/README.md does not list a.md.']);
  });
});

describe('the changelog', () => {
  const problems = (sections: string) => inTempTree({ 'CHANGELOG.md': `# Changelog\n\n${sections}` }, changelogProblems);
  const version = (number: string, body = '- It is there.') => `## ${number} (2026-11-15)\n\n${body}\n\n`;

  it('of this repository is divided into versions of one screen', () => {
    expect(changelogProblems(ROOT)).toEqual([]);
  });

  it('begins with what is unreleased, and has the newest version first', async () => {
    expect(await problems(`## Unreleased\n\n${version('0.10.0')}${version('0.9.0')}`)).toEqual([]);
    expect(await problems(version('0.9.0'))).toEqual([expect.stringContaining('its first section is "## Unreleased"')]);
    expect(await problems(`## Unreleased\n\n${version('0.9.0')}${version('0.10.0')}`)).toEqual([
      expect.stringContaining('0.10.0 stands below'),
    ]);
    expect(await problems(`## Unreleased\n\n${version('0.9.0')}${version('0.9.0')}`)).toHaveLength(1);
  });

  it.each(['## Webhooks', '## 0.1 (2026-11-15)', '## 0.1.0', '## 0.1.0 (today)'])('has no section %s', async (heading) => {
    expect(await problems(`## Unreleased\n\n${heading}\n\n- x.\n`)).toEqual([expect.stringContaining('is not "X.Y.Z (YYYY-MM-DD)"')]);
  });

  it('has sections of at most 60 lines, with their heading', async () => {
    const of = (entries: number) => problems(`## Unreleased\n\n${version('0.1.0', Array(entries).fill('- x.').join('\n'))}`);

    expect(await of(58)).toEqual([]);
    expect(await of(59)).toEqual([expect.stringContaining('has 61 lines')]);
  });

  it('says first, and only there, what users have to do', async () => {
    const must = '### You must\n- load the rules.';
    const found = (body: string) => problems(`## Unreleased\n\n${body}`);

    expect(await found(`${must}\n\n### Webhooks\n- Paused.\n`)).toEqual([]);
    expect(await found(`### Webhooks\n- Paused.\n\n${must}\n`)).toEqual([expect.stringContaining('it comes first')]);
    expect(await found('### You must\n\n### Webhooks\n- Paused.\n')).toEqual([expect.stringContaining('is empty')]);
    expect(await found('### Webhooks\n- Paused. You must: load the rules.\n')).toEqual([expect.stringContaining('outside its first list')]);
    expect(await found(`${must}\n\n### Webhooks\n- Then you must wait.\n`)).toHaveLength(1);
  });
});

describe('the paths in the documents for newcomers', () => {
  const files = { 'libs/x/src/a.ts': '', 'docs/b.md': '' };
  const missing = (text: string) => inTempTree({ ...files, 'README.md': text }, missingPaths);

  it('exist in this repository', () => {
    expect(missingPaths(ROOT)).toEqual([]);
  });

  it('may be files and folders, quoted or linked; other text is ignored', async () => {
    expect(
      await missing('`libs/x/src/a.ts`, `libs/x`, [b](docs/b.md#part), `@codase/x`, `.codase/secrets`, `POST /a/b`, `and/or`'),
    ).toEqual([]);
    expect(await missing('```sh\nlibs/none.ts\n```\n[out](https://example.com/docs/none.md)')).toEqual([]);
  });

  it.each([['`libs/x/src/moved.ts`'], ['`x/src/a.ts`'], ['[b](docs/moved.md)'], ['`docs/none/`']])(
    'are reported when they do not exist: %s',
    async (text) => {
      expect(await missing(text)).toEqual([expect.stringContaining('which does not exist')]);
    },
  );
});

describe('a line of code', () => {
  const found = (line: string, file = 'apps/x/src/a.ts') => inTempTree({ [file]: `\n${line}\n` }, longLines);

  it('is refused when it is longer than 140 characters', async () => {
    expect(await found(`const x = '${'x'.repeat(129)}';`)).toEqual([
      'apps/x/src/a.ts:2 is 142 characters long: break it, a line has at most 140.',
    ]);
    expect(await found(`const x = '${'x'.repeat(127)}';`)).toEqual([]);
    expect(await found(`/** ${'x'.repeat(140)} */`)).toHaveLength(1);
    expect(await found(`  select ${'x'.repeat(140)}`, 'examples/x/src/schema.sql')).toHaveLength(1);
  });

  it('may be longer when it is a test title or a regular expression', async () => {
    expect(await found(`  it('${'x'.repeat(140)}', async () => {`)).toEqual([]);
    expect(await found(`  /^(${'x'.repeat(140)})$/i;`)).toEqual([]);
  });
});

describe('a comment', () => {
  const found = (text: string) => inTempTree({ 'apps/x/src/a.ts': text }, unclearOpenings);

  it('is refused when its first word does not say what it is about', async () => {
    expect(await found('\n/** It holds the keys. */\nconst x = 1;')).toEqual([
      'apps/x/src/a.ts:2: the comment begins with "It": name what it is about, for readers who have not read the code.',
    ]);
    expect(await found('/**\n * Whoever asks first\n * is first.\n */')).toEqual([
      expect.stringContaining('a.ts:2: the comment begins with "Whoever"'),
    ]);
    expect(await found('  // As it was.')).toHaveLength(1);
    expect(await found('const x = 1;\n// Those of others.')).toHaveLength(1);
  });

  it('may begin with any other word; its further lines with any word', async () => {
    expect(
      await found('/** Items of a list. */\n// The list is short.\n// It has three items.\n/**\n * The list.\n * It is short.\n */'),
    ).toEqual([]);
  });
});
