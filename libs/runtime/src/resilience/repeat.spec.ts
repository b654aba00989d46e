import { setTimeout as sleep } from 'node:timers/promises';
import { pauseUnlessFull, repeat, type Repeated } from './repeat.ts';

const HOUR_MS = 3_600_000;

/** Counts its rounds; those of the given numbers fail. */
function rounds(...failing: number[]) {
  const seen = { begun: 0, failures: [] as string[] };
  const work = async () => {
    seen.begun += 1;
    if (failing.includes(seen.begun)) throw new Error(`round ${seen.begun}`);
    return seen.begun;
  };
  return { seen, work, onFailure: (error: unknown) => void seen.failures.push((error as Error).message) };
}

/** Waits until so many rounds have begun. */
async function until(seen: { begun: number }, begun: number): Promise<void> {
  while (seen.begun < begun) await sleep(1);
}

describe('repeated work', () => {
  let repeated: Repeated | undefined;
  afterEach(() => repeated?.stop());

  it('starts at once, and again after each pause', async () => {
    const { seen, work, onFailure } = rounds();
    repeated = repeat(work, { name: 'test', pauseMs: 1, onFailure });
    await repeated.first;
    expect(seen.begun).toBe(1);

    await until(seen, 3);
  });

  it('goes on after a failed round, and reports the failure', async () => {
    const { seen, work, onFailure } = rounds(1, 2);
    repeated = repeat(work, { name: 'test', pauseMs: 1, onFailure });

    await until(seen, 4);
    expect(seen.failures).toEqual(['round 1', 'round 2']);
  });

  it('takes its pause from the result of the round, and continues at once when the pause is zero', async () => {
    const { seen, work, onFailure } = rounds();
    repeated = repeat(work, { name: 'test', pauseMs: (round) => (round < 5 ? 0 : HOUR_MS), onFailure });

    await until(seen, 5);
    await sleep(10);
    expect(seen.begun).toBe(5);
  });

  it('skips the current pause, or the pause after the current round, when it is woken', async () => {
    const { seen, work, onFailure } = rounds();
    let finish = () => {};
    const slow = async () => {
      await work();
      if (seen.begun === 2) await new Promise<void>((resolve) => (finish = resolve));
    };
    repeated = repeat(slow, { name: 'test', pauseMs: HOUR_MS, onFailure });
    await repeated.first;
    await sleep(1);
    repeated.wake();
    await until(seen, 2);

    repeated.wake();
    finish();
    await until(seen, 3);
    await sleep(10);
    expect(seen.begun).toBe(3);
  });

  it('backs off after failures, and is not woken from such a pause', async () => {
    const { seen, work, onFailure } = rounds(1, 2, 3);
    repeated = repeat(work, { name: 'test', pauseMs: 1, backoff: { firstMs: 1, longestMs: HOUR_MS }, onFailure });
    await until(seen, 3);
    await repeated.stop();

    const again = rounds(1);
    repeated = repeat(again.work, { name: 'test', pauseMs: 1, backoff: { firstMs: HOUR_MS, longestMs: HOUR_MS }, onFailure });
    await repeated.first;
    repeated.wake();
    await sleep(10);
    expect(again.seen.begun).toBe(1);
  });

  it('is woken from a long pause that it shares with other work', async () => {
    const { seen, work, onFailure } = rounds();
    repeated = repeat(work, { name: 'test', endsTogether: () => true, pauseMs: HOUR_MS, onFailure });
    await repeated.first;
    await sleep(1);

    repeated.wake();

    await until(seen, 2);
    expect(seen.failures).toEqual([]);
  });

  it('does not pause after a round that processed a full batch', () => {
    const pauseMs = pauseUnlessFull(100, HOUR_MS);

    expect([0, 99, 100].map(pauseMs)).toEqual([HOUR_MS, HOUR_MS, 0]);
  });

  it('stops at once when it is stopped during a pause', async () => {
    const { seen, work, onFailure } = rounds();
    repeated = repeat(work, { name: 'test', pauseMs: HOUR_MS, onFailure });
    await repeated.first;
    await repeated.stop();

    repeated.wake();
    await sleep(5);
    expect(seen.begun).toBe(1);
  });
});
