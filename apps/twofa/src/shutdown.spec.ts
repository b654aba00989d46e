import { setImmediate as nextRound } from 'node:timers/promises';
import { systemClock } from '@codase/runtime/clock';
import { silentLog } from '@codase/runtime/telemetry';
import { ChallengesService } from './challenges/challenges.service.ts';
import type { ChallengesStore } from './challenges/challenges.store.ts';
import { PollWorker } from './polling/poll.worker.ts';

const HOUR = 60 * 60_000;
const none = undefined as never;

describe('a twofa process that shuts down', () => {
  it('ends waiting reads at once, because the shutdown waits for them', async () => {
    const drain = new AbortController();
    const { waiting } = new ChallengesService(none, none, systemClock, drain.signal);
    const read = waiting.wait('1', HOUR);

    drain.abort();

    await read;
    expect(waiting.isClosed).toBe(true);
  });

  it('begins no further poll, even while requests are in progress', async () => {
    const drain = new AbortController();
    let claims = 0;
    const store = { overdue: async () => [], claim: async () => (claims++, []) };
    const worker = new PollWorker(none, store as unknown as ChallengesStore, none, systemClock, silentLog, drain.signal);
    worker.onApplicationBootstrap();

    drain.abort();
    for (let nth = 0; nth < 20; nth++) {
      worker.wake();
      await nextRound();
    }

    expect(claims).toBe(1);
    await worker.beforeApplicationShutdown();
  });
});
