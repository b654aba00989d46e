import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runNode } from '../command/child.ts';
import { ROOT } from '../command/root.ts';
import { inTempTree } from '@cds/testing/temp-tree';
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

/** Mutates a library of words in a process of its own; gives what became of each change, by its text. */
async function mutated({ constants = false, spec = SPEC } = {}): Promise<Record<string, string>> {
  const files = { 'libs/words/src/words.ts': WORDS, 'libs/words/src/words.spec.ts': spec, 'libs/words/src/words.txt': 'text' };
  const target = { lib: 'words', mutate: ['libs/words/src/words.ts'], whole: false };
  const script = `
    const { runStryker } = await import('${pathToFileURL(join(ROOT, 'tools/dist/mutate/run-stryker.js'))}');
    const mutants = await runStryker(${JSON.stringify(target)}, { fresh: true, terminal: false, constants: ${constants} });
    console.log('\\nstates ' + JSON.stringify(Object.fromEntries(mutants.map((mutant) => [mutant.replacement, mutant.status]))));`;
  return inTempTree(files, async (cwd) => {
    const { output } = await runNode(['--input-type=module', '-e', script], { cwd, seconds: 240 });
    const states = /^states (.*)$/m.exec(output)?.[1];
    if (states === undefined) throw new Error(output);
    return JSON.parse(states);
  });
}

describe('mutants are tried on the specs of their library', () => {
  it('each on its own: noticed, not noticed, never ending, or left out in a constant', async () => {
    expect(await mutated()).toMatchObject({
      'GREETING - name': 'Killed',
      '++calls !== 1': 'Killed',
      '--calls': 'Killed',
      'word.length <= 10': 'Killed',
      'word.length >= 10': 'Survived',
      'count -= 1': 'Timeout',
      '""': 'Ignored',
    });
  });

  it('those in constants too, when asked', async () => {
    expect(await mutated({ constants: true })).toMatchObject({ '""': 'Killed', 'word.length >= 10': 'Survived', 'count -= 1': 'Timeout' });
  });

  it('not at all when a test fails without them', async () => {
    await expect(mutated({ spec: `${SPEC}it('is broken', () => expect(1).toBe(2));` })).rejects.toThrow('words.spec.ts: is broken');
  });

  it('the nearest first, and only those that hold the file', () => {
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
