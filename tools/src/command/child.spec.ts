import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runNode } from './child.ts';
import { inTempTree } from '@codase/testing/temp-tree';

const CHILD = "require('node:fs').writeFileSync('up', ''); setTimeout(() => {}, 60_000);";
const PARENT = "require('node:child_process').spawn(process.execPath, ['child.cjs'], { stdio: 'inherit' }); setTimeout(() => {}, 60_000);";

const here = { cwd: process.cwd(), seconds: 30 };

describe('a child process', () => {
  it('returns its exit code and its output', async () => {
    expect(
      await runNode(['-e', 'console.log(process.env.WORD); console.error("err"); process.exitCode = 3'], { ...here, env: { WORD: 'out' } }),
    ).toEqual({
      code: 3,
      output: expect.stringMatching(/out\nerr\n|err\nout\n/),
      timedOut: false,
    });
  });

  it('is killed when its time limit elapses', async () => {
    expect(await runNode(['-e', 'setTimeout(() => {}, 60_000)'], { ...here, seconds: 0.5 })).toEqual({
      code: undefined,
      output: '',
      timedOut: true,
    });
  });

  it('gets its full time limit again after each message', async () => {
    const script = "setTimeout(() => { process.send('alive'); console.log(Date.now()); }, 300); setTimeout(() => {}, 60_000)";
    const { output, timedOut } = await runNode(['-e', script], { ...here, seconds: 4 });

    expect(timedOut).toBe(true);
    // The child had 3.7 s left when it gave the sign. Timers count from the beginning of the loop's turn, some milliseconds before.
    expect(Date.now() - Number(output)).toBeGreaterThan(3900);
  });

  it('is killed with all its descendants when the run is stopped', () =>
    inTempTree({ 'parent.cjs': PARENT, 'child.cjs': CHILD }, async (dir) => {
      const stop = new AbortController();
      const running = runNode(['parent.cjs'], { cwd: dir, seconds: 30, signal: stop.signal });
      for (let waited = 0; waited < 20_000 && !existsSync(join(dir, 'up')); waited += 50) await sleep(50);
      expect(existsSync(join(dir, 'up'))).toBe(true);

      stop.abort();

      // The grandchild holds the same output open, so the run ends only when both have ended.
      expect(await running).toEqual({ code: undefined, output: '', timedOut: false });
    }));

  it('is killed at once when the run was stopped before it began', async () => {
    expect((await runNode(['-e', 'setTimeout(() => {}, 60_000)'], { ...here, signal: AbortSignal.abort() })).code).toBeUndefined();
  });
});
