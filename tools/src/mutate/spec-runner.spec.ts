import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runNode } from '../command/child.ts';
import { ROOT } from '../command/root.ts';
import { inTempTree } from '@codase/testing/temp-tree';
import { nearestFirst } from './bundle-specs.ts';

const WORDS = `
const GREETING = 'hello ';
let calls = 0;
export const greet = (name: string): string => GREETING + name;
export const isFirst = (): boolean => ++calls === 1;
export const isLong = (word: string): boolean => word.length > 10;
export function letters(word: string): number {
  let count = 0;
  while (count < word.length) count += 1;
  return count;
}
`;

const SPEC = `
import { jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { greet, isFirst, isLong, letters } from './words.ts';

describe('words', () => {
  it('greet', () => expect(greet('Ann')).toBe('hello Ann'));
  it('come first once', () => expect([isFirst(), isFirst()]).toEqual([true, false]));
  it.each([['word', false], ['wonderfully long', true]])('%s: long is %s', async (word, long) => expect(isLong(word)).toBe(long));
  it('have letters', () => expect(letters('four')).toBe(4));
  it('are read from beside the spec', () => expect(readFileSync(new URL('./words.txt', import.meta.url), 'utf8')).toBe('text'));
  it('are parsed by a spy that does not outlive the spec', () => {
    expect(JSON.parse('"word"')).toBe('word');
    jest.spyOn(JSON, 'parse').mockReturnValue('spy');
    expect(JSON.parse('"word"')).toBe('spy');
  });
});
`;

/** The runs, each in a folder of its own: the option for Stryker, and the spec. */
const RUNS = {
  usual: { constants: false, spec: SPEC },
  constants: { constants: true, spec: SPEC },
  broken: { constants: false, spec: `${SPEC}it('is broken', () => expect(1).toBe(2));` },
};
type RunName = keyof typeof RUNS;

/**
 * Mutates a library of words in these ways, one after the other in one process, because loading Stryker takes most of the time. Returns the
 * state of each mutant by its text, null for a run that Stryker gave up, and all output.
 */
async function mutated(): Promise<{ states: Record<RunName, Record<string, string> | null>; output: string }> {
  const files = Object.entries(RUNS).flatMap(([name, { spec }]) => {
    const folder = `${name}/libs/words/src`;
    return Object.entries({ 'words.ts': WORDS, 'words.spec.ts': spec, 'words.txt': 'text' }).map(([file, text]) => [
      `${folder}/${file}`,
      text,
    ]);
  });
  const target = { name: 'words', mutate: ['libs/words/src/words.ts'], specs: 'libs/words/src', whole: false };
  const script = `
    const { runStryker } = await import('${pathToFileURL(join(ROOT, 'tools/dist/mutate/run-stryker.js'))}');
    const [root, states] = [process.cwd(), {}];
    for (const [name, { constants }] of Object.entries(${JSON.stringify(RUNS)})) {
      process.chdir(root + '/' + name);
      const mutants = await runStryker(${JSON.stringify(target)}, { fresh: true, terminal: false, constants, atOnce: 1 }).catch(() => null);
      states[name] = mutants && Object.fromEntries(mutants.map((mutant) => [mutant.replacement, mutant.status]));
    }
    console.log('\\nstates ' + JSON.stringify(states));`;
  return inTempTree(Object.fromEntries(files), async (cwd) => {
    const { output } = await runNode(['--input-type=module', '-e', script], { cwd, seconds: 240 });
    const states = /^states (.*)$/m.exec(output)?.[1];
    if (states === undefined) throw new Error(output);
    return { states: JSON.parse(states), output };
  });
}

describe('the mutation run of a library', () => {
  let states: Awaited<ReturnType<typeof mutated>>['states'];
  let output: string;
  beforeAll(async () => {
    ({ states, output } = await mutated());
  });

  it('reports each mutant as killed, survived, timed out, or ignored in a constant', () => {
    expect(states.usual).toMatchObject({
      'GREETING - name': 'Killed',
      '++calls !== 1': 'Killed',
      '--calls': 'Killed',
      'word.length <= 10': 'Killed',
      'word.length >= 10': 'Survived',
      'count -= 1': 'Timeout',
      '""': 'Ignored',
    });
  });

  it('includes mutants in constants on request', () => {
    expect(states.constants).toMatchObject({ '""': 'Killed', 'word.length >= 10': 'Survived', 'count -= 1': 'Timeout' });
  });

  it('stops when a test fails without any mutant', () => {
    expect(states.broken).toBeNull();
    expect(output).toContain('words.spec.ts: is broken');
  });

  it('runs only the specs that load the mutated file, nearest first', () => {
    const spec = (file: string, ...sources: string[]) => ({ file, sources: new Set([file, ...sources]), load: () => {} });
    const all = [
      spec('src/far.spec.ts', 'src/a/b.ts'),
      spec('src/a/all.spec.ts', 'src/a/b.ts'),
      spec('src/a/c.spec.ts'),
      spec('src/a/b.spec.ts', 'src/a/b.ts'),
    ];

    expect(nearestFirst(all, 'src/a/b.ts').map(({ file }) => file)).toEqual(['src/a/b.spec.ts', 'src/a/all.spec.ts', 'src/far.spec.ts']);
  });
});
