import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inTempTree } from '@codase/testing/temp-tree';
import { temporaryOf } from './jest.ts';
import type { Run } from './step.ts';
import { STEPS } from './steps.ts';

const leftovers = STEPS.find(({ name }) => name === 'leftovers')!;
const run = (folder: string): Run => ({ root: '/', folder, jestArguments: [], signal: new AbortController().signal });
const leaveSomething = (folder: string) => mkdirSync(join(temporaryOf({ folder }), 'codase-something'), { recursive: true });

describe('the leftovers step of npm test', () => {
  it('fails when a completed run left files behind', () =>
    inTempTree({ 'jest.json': '{}' }, async (folder) => {
      leaveSomething(folder);

      expect(await leftovers.run(run(folder))).toMatchObject({ failed: 1, report: expect.stringContaining('codase-something') });
    }));

  it('is left out when the run did not complete', () =>
    inTempTree({}, async (folder) => {
      leaveSomething(folder);

      expect(await leftovers.run(run(folder))).toMatchObject({ passed: 0, failed: 0, leftOut: expect.any(String) });
    }));
});
