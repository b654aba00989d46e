import { inTempTree } from '@codase/testing/temp-tree';
import { readSources } from './sources.ts';
import { entryPointsOf, unnamedExports } from './unnamed-exports.ts';

const unnamedIn = (files: Record<string, string>) => inTempTree(files, (root) => unnamedExports(readSources(root), entryPointsOf(root)));

describe('the search for exports that nobody names', () => {
  it('finds values and types that no other file names, each once', async () => {
    const files = { 'libs/pdf/src/a.ts': 'export const A = 1; export type A = number; export interface B {}' };

    expect((await unnamedIn(files)).map((sentence) => sentence.split(',')[0])).toEqual([
      'libs/pdf/src/a.ts exports A',
      'libs/pdf/src/a.ts exports B',
    ]);
  });

  it('counts names of imports, of types and of tests, and names that are exported again', async () => {
    const a = 'export const one = 1; export const two = 2; export interface Three {} export const four = 4;';
    const others = {
      'libs/pdf/src/b.ts': "import { one } from './a.ts'; import type { Three as Other } from './a.ts';",
      'libs/pdf/src/a.spec.ts': "import { two } from './a.ts';",
      'libs/pdf/src/index.ts': "export { four as five } from './a.ts';",
      'libs/pdf/src/c.ts': "import { five } from './index.ts';",
    };

    expect(await unnamedIn({ 'libs/pdf/src/a.ts': a, ...others })).toEqual([]);
  });

  it.each([
    ['imported whole', 'libs/pdf/src/b.ts', "import * as a from './a.ts';"],
    ['loaded', 'libs/pdf/src/b.ts', "const a = await import('./a.ts');"],
    ['exported again whole', 'libs/pdf/src/b.ts', "export * from './a.ts';"],
    ['loaded from its build', 'libs/pdf/run.mjs', "import { one } from './dist/a.js';"],
    ['an entry point', 'libs/pdf/package.json', '{ "exports": { ".": { "source": "./src/a.ts" } } }'],
  ])('finds nothing in a module that is %s', async (_, file, text) => {
    expect(await unnamedIn({ 'libs/pdf/src/a.ts': 'export const one = 1;', [file]: text })).toEqual([]);
  });
});
