import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inTempTree } from '@codase/testing/temp-tree';

interface ModulesOptions {
  rootDir: string;
  compile(file: string): string;
  given: Record<string, object>;
}
const { canLoadModules, Modules } = createRequire(import.meta.url)('../jest/modules.cjs') as {
  canLoadModules(): boolean;
  Modules: new (options: ModulesOptions) => { import(path: string): Promise<Record<string, unknown>> };
};

const load = (files: Record<string, string>, ...entries: string[]) =>
  inTempTree(files, (rootDir) => {
    const given = { given: { value: 'by us' } };
    const modules = new Modules({ rootDir, compile: (file) => readFileSync(file, 'utf8'), given });
    return Promise.all(entries.map((entry) => modules.import(join(rootDir, entry))));
  });

describe('the ES modules of a Jest worker', () => {
  beforeAll(() => {
    if (!canLoadModules()) throw new Error('Node has none without --experimental-vm-modules, which npm test and nx test give it');
  });

  it('are loaded once, also by concurrent and dynamic imports', async () => {
    const [first, second] = await load(
      {
        'a.ts': `export { one } from './shared.ts'; export const later = await import('./shared.ts');`,
        'b.ts': `export { one } from './shared.ts';`,
        'shared.ts': 'export const one = {};',
      },
      'a.ts',
      'b.ts',
    );

    expect(first!['one']).toBe(second!['one']);
    expect((first!['later'] as { one: object }).one).toBe(second!['one']);
  });

  it('may import each other', async () => {
    const [module] = await load(
      {
        'a.ts': `import { b } from './b.ts'; export const a = 'a'; export const both = () => a + b();`,
        'b.ts': `import { a } from './a.ts'; export const b = () => 'b' + a;`,
      },
      'a.ts',
    );

    expect((module!['both'] as () => string)()).toBe('aba');
  });

  it('know their own path, and resolve projects, packages, Node modules and given modules', async () => {
    const [module] = await load(
      {
        'libs/words/package.json': JSON.stringify({ name: '@codase/words', exports: { './greeting': { source: './src/greeting.ts' } } }),
        'libs/words/src/greeting.ts': `export const greeting = 'hello';`,
        'spec.ts': `import { basename } from 'node:path';
          import { value } from 'given';
          import plain from './plain.cjs';
          import { greeting } from '@codase/words/greeting';
          export const found = [basename(import.meta.filename), new URL('.', import.meta.url).pathname === import.meta.dirname + '/',
            value, plain.kind, greeting];`,
        'plain.cjs': `module.exports = { kind: 'script' };`,
      },
      'spec.ts',
    );

    expect(module!['found']).toEqual(['spec.ts', true, 'by us', 'script', 'hello']);
  });

  it('fail with the error of an imported module, each time', async () => {
    const files = { 'a.ts': `import './b.ts';`, 'b.ts': `throw 'no';` };
    await expect(load(files, 'a.ts', 'a.ts')).rejects.toBe('no');
  });
});
