import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inTempTree } from '@codase/testing/temp-tree';
import { leftEntries, leftProcesses } from './leftovers.ts';

const SLEEP = 'console.log("up"); setTimeout(() => {}, 60_000)';

async function start(args: string[], options: { env?: NodeJS.ProcessEnv; cwd?: string }) {
  const child = spawn(process.execPath, ['-e', SLEEP, ...args], { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return child;
}

describe('what a run leaves', () => {
  it.each([
    ['environment', (folder: string) => start([], { env: { ...process.env, TMPDIR: join(folder, 'tmp') } })],
    ['arguments', (folder: string) => start([join(folder, 'data')], {})],
    ['place', (folder: string) => start([], { cwd: folder })],
  ])('is found by the folder in its %s', (_, begin) =>
    inTempTree({}, async (folder) => {
      const child = await begin(folder);
      try {
        expect((await leftProcesses(folder, 0)).map(({ pid }) => pid)).toEqual([child.pid]);
      } finally {
        child.kill('SIGKILL');
      }
    }),
  );

  it('is nothing once the last process has ended, for which it gets a moment', () =>
    inTempTree({}, async (folder) => {
      const child = await start([folder], {});
      setTimeout(() => child.kill('SIGKILL'), 200);

      expect(await leftProcesses(folder)).toEqual([]);
    }));

  it("includes our temporary entries, and nobody else's", () =>
    inTempTree({ other: '' }, (dir) => {
      mkdirSync(join(dir, 'codase-postgres-1'));

      expect(leftEntries(dir)).toEqual(['codase-postgres-1']);
      expect(leftEntries(join(dir, 'nowhere'))).toEqual([]);
    }));
});
