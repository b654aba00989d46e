import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { needsServers, type TestRun } from './test-run.ts';

describe('a test run', () => {
  let rootDir: string;

  beforeAll(async () => {
    rootDir = await mkdtemp(join(tmpdir(), 'codase-run-'));
    for (const file of ['small/src/one.spec.ts', 'large/test/deep/two.spec.ts', 'large/src/three.spec.ts', 'large/test/world.ts']) {
      await mkdir(dirname(join(rootDir, 'libs', file)), { recursive: true });
      await writeFile(join(rootDir, 'libs', file), '');
    }
  });
  afterAll(() => rm(rootDir, { recursive: true, force: true }));

  /** A run of the tests that match, as Jest describes it. */
  function run(pattern: RegExp): TestRun {
    return { rootDir, testPathPatterns: { toExecutor: () => ({ isMatch: (path) => pattern.test(path) }) } };
  }

  it.each([
    [/./, true],
    [/libs\/large\//, true],
    [/deep\/two/, true],
    [/libs\/small\//, false],
    [/large\/src\//, false],
    [/large\/test\/world/, false],
  ])('with the pattern %s needs servers: %s', async (pattern, needed) => {
    expect(await needsServers(run(pattern))).toBe(needed);
  });

  it('of single files needs servers when one of them is in a test folder', async () => {
    const files = (...nonFlagArgs: string[]) => needsServers({ ...run(/./), runTestsByPath: true, nonFlagArgs });

    expect(await files('libs/small/src/one.spec.ts')).toBe(false);
    expect(await files('libs/small/src/one.spec.ts', 'e2e/test/story.spec.ts')).toBe(true);
  });
});
