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

describe('the search for what a test run left behind', () => {
  it.each([
    ['environment', (folder: string) => start([], { env: { ...process.env, TMPDIR: join(folder, 'tmp') } })],
    ['arguments', (folder: string) => start([join(folder, 'data')], {})],
    ['place', (folder: string) => start([], { cwd: folder })],
  ])('finds a process by the run folder in its %s', (_, begin) =>
    inTempTree({}, async (folder) => {
      const child = await begin(folder);
      try {
        expect((await leftProcesses(folder, 0)).map(({ pid }) => pid)).toEqual([child.pid]);
      } finally {
        child.kill('SIGKILL');
      }
    }),
  );

  it('finds no process that ends within the grace period', () =>
    inTempTree({}, async (folder) => {
      const child = await start([folder], {});
      setTimeout(() => child.kill('SIGKILL'), 200);

      expect(await leftProcesses(folder)).toEqual([]);
    }));

  it('finds temporary entries of ours only', () =>
    inTempTree({ other: '' }, (dir) => {
      mkdirSync(join(dir, 'codase-postgres-1'));

      expect(leftEntries(dir)).toEqual(['codase-postgres-1']);
      expect(leftEntries(join(dir, 'nowhere'))).toEqual([]);
    }));
});
