import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inTempTree } from '@codase/testing/temp-tree';
import { ROOT } from '../src/command/root.ts';

const TREE = {
  'apps/shop/dist/main.js': `import { price } from './price.js';\nconsole.log(price);`,
  'apps/shop/dist/price.js': 'export const price = 1;',
  'libs/runtime/dist/telemetry/register.js': '',
  'node_modules/.package-lock.json': '{}',
  'tools/bundle.mjs': '',
};

describe('a bundle', () => {
  const inProject = (story: (project: { at(file: string): string; bundles(): boolean }) => void) =>
    inTempTree(TREE, (dir) => {
      const script = `import(${JSON.stringify(pathToFileURL(join(ROOT, 'tools/bundle.mjs')).href)})
        .then(({ bundle }) => bundle(${JSON.stringify(dir)})).then((isAnew) => console.log(isAnew))`;
      const bundles = () => execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim() === 'true';
      expect(bundles()).toBe(true);
      expect(bundles()).toBe(false);
      story({ at: (file) => join(dir, file), bundles });
    });

  it('is rebuilt when one of its sources was edited or deleted', () =>
    inProject(({ at, bundles }) => {
      writeFileSync(at('apps/shop/dist/price.js'), 'export const price = 2;');
      expect(bundles()).toBe(true);
      expect(readFileSync(at('bundle/shop.mjs'), 'utf8')).toContain('console.log(2)');

      writeFileSync(at('apps/shop/dist/main.js'), 'console.log(3)');
      rmSync(at('apps/shop/dist/price.js'));
      expect(bundles()).toBe(true);
    }));

  it('is rebuilt when an app was added', () =>
    inProject(({ at, bundles }) => {
      mkdirSync(at('apps/desk/dist'), { recursive: true });
      writeFileSync(at('apps/desk/dist/main.js'), 'console.log("desk")');

      expect(bundles()).toBe(true);
      expect(readdirSync(at('bundle'))).toContain('desk.mjs');
    }));

  it('is rebuilt when one of its files was deleted', () =>
    inProject(({ at, bundles }) => {
      rmSync(at('bundle/shop.mjs'));

      expect(bundles()).toBe(true);
      expect(readdirSync(at('bundle'))).toContain('shop.mjs');
    }));
});
