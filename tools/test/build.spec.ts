import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '../src/command/root.ts';
import { inTempTree } from '@codase/testing/temp-tree';

const LONG_AGO = new Date('2020-01-01T00:00:00Z');

describe('a build', () => {
  const inProject = (story: (project: { source: string; out: string; build(): void; says(): string }) => void) =>
    inTempTree({ 'src/a.ts': 'export const a: number = 1;' }, (dir) => {
      const out = join(dir, 'dist/a.js');
      const build = () => void execFileSync(process.execPath, [join(ROOT, 'tools/build.mjs'), relative(ROOT, dir)]);
      build();
      story({ source: join(dir, 'src/a.ts'), out, build, says: () => readFileSync(out, 'utf8').split('\n')[0]! });
    });

  it('does not rewrite unchanged files', () =>
    inProject(({ out, build }) => {
      const { ctimeMs } = statSync(out);
      build();

      expect(statSync(out).ctimeMs).toBe(ctimeMs);
    }));

  it('compiles an edited file again', () =>
    inProject(({ source, build, says }) => {
      writeFileSync(source, 'export const a: number = 2;');
      build();

      expect(says()).toBe('export const a = 2;');
    }));

  it('compiles a file again that was replaced by an older one', () =>
    inProject(({ source, build, says }) => {
      writeFileSync(`${source}.kept`, 'export const a: number = 0;');
      utimesSync(`${source}.kept`, LONG_AGO, LONG_AGO);
      renameSync(`${source}.kept`, source);
      build();

      expect(says()).toBe('export const a = 0;');
    }));

  it('restores deleted output, and removes output without a source', () =>
    inProject(({ source, out, build }) => {
      rmSync(`${out}.map`);
      build();
      expect(existsSync(`${out}.map`)).toBe(true);

      rmSync(source);
      build();
      expect([out, `${out}.map`].filter((path) => existsSync(path))).toEqual([]);
    }));
});
