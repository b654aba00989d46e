import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inTempTree } from '@codase/testing/temp-tree';

const HOOKS = fileURLToPath(new URL('../jest/modules.cjs', import.meta.url));

/** Starts a process that loads modules as a worker of Jest does, and returns what `expression` evaluates to there. */
const evaluated = (files: Record<string, string>, expression: string) =>
  inTempTree(files, async (cwd) => {
    const script = `
      const { readFileSync } = require('node:fs');
      globalThis[Symbol.for('codase.jest')] = 'the mocker of the worker';
      require(${JSON.stringify(HOOKS)}).loadTypeScript({ compile: (file) => readFileSync(file, 'utf8'), bytecode: './bytecode' });
      void (async () => console.log(JSON.stringify(await (${expression}))))();`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', '-e', script], { cwd });
    return JSON.parse(stdout) as unknown;
  });

describe('the ES modules of a Jest worker', () => {
  it('are loaded once, also by concurrent and dynamic imports', async () => {
    const found = evaluated(
      {
        'a.ts': `export { one } from './shared.ts'; export const later = await import('./shared.ts');`,
        'b.ts': `export { one } from './shared.ts';`,
        'shared.ts': 'export const one = {};',
      },
      `Promise.all([import('./a.ts'), import('./b.ts')])
        .then(([first, second]) => [first.one === second.one, first.later.one === second.one])`,
    );

    expect(await found).toEqual([true, true]);
  });

  it('may import each other', async () => {
    const found = evaluated(
      {
        'a.ts': `import { b } from './b.ts'; export const a = 'a'; export const both = () => a + b();`,
        'b.ts': `import { a } from './a.ts'; export const b = () => 'b' + a;`,
      },
      `import('./a.ts').then(({ both }) => both())`,
    );

    expect(await found).toBe('aba');
  });

  it("know their own path, and resolve projects, packages, Node modules and Jest's globals", async () => {
    const found = evaluated(
      {
        'node_modules/@codase/words/package.json': JSON.stringify({
          name: '@codase/words',
          type: 'module',
          exports: { './greeting': { source: './src/greeting.ts', default: './dist/greeting.js' } },
        }),
        'node_modules/@codase/words/src/greeting.ts': `export const greeting = 'hello';`,
        'spec.ts': `import { basename } from 'node:path';
          import { jest } from '@jest/globals';
          import plain from './plain.cjs';
          import { greeting } from '@codase/words/greeting';
          export const found = [basename(import.meta.filename), new URL('.', import.meta.url).pathname === import.meta.dirname + '/',
            jest, plain.kind, greeting];`,
        'plain.cjs': `module.exports = { kind: 'script' };`,
      },
      `import('./spec.ts').then(({ found }) => found)`,
    );

    expect(await found).toEqual(['spec.ts', true, 'the mocker of the worker', 'script', 'hello']);
  });

  it('fail with the error of an imported module, each time', async () => {
    const found = evaluated(
      { 'a.ts': `import './b.ts';`, 'b.ts': `throw 'no';` },
      `Promise.allSettled([import('./a.ts'), import('./a.ts')]).then((both) => both.map(({ reason }) => reason))`,
    );

    expect(await found).toEqual(['no', 'no']);
  });
});
