import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../command/root.ts';
import { sourceFiles } from '../command/source-files.ts';

const FOLDERS = ['apps', 'libs', 'dev', 'examples', 'e2e', 'bench', 'tools'];

describe('the project of the type check and the linter', () => {
  it('is the only one, because the linter parses all types again for each', () => {
    expect(sourceFiles(ROOT, FOLDERS, ['tsconfig.json'])).toEqual([]);
  });

  it('has every source in TypeScript', () => {
    const { include } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as { include: string[] };
    const folders = include.map((folder) => new RegExp(`^${folder.replace('*', '[^/]+')}/`));

    const sources = sourceFiles(ROOT, FOLDERS, ['.ts']);

    expect(sources.length).toBeGreaterThan(2000);
    expect(sources.filter((file) => !folders.some((folder) => folder.test(file)))).toEqual([]);
  });
});
