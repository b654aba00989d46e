import { silentLog } from '@codase/runtime/telemetry';
import { eventually } from '@codase/testing/eventually';
import { PeriodicWorker } from './periodic-worker.service.ts';

const HOUR_MS = 3_600_000;

class Counting extends PeriodicWorker {
  done = 0;

  constructor(
    private readonly answers: (round: number) => unknown,
    idleMs?: number,
  ) {
    super({ name: 'counting', everyMs: 1, failure: 'counting failed', ...(idleMs !== undefined && { idleMs }) }, silentLog);
  }

  async round(): Promise<unknown> {
    this.done += 1;
    return this.answers(this.done);
  }

  async reaches(rounds: number): Promise<void> {
    await eventually(async () => this.done >= rounds || undefined);
  }
}

describe('work that is done again and again', () => {
  let worker: Counting;
  const start = (answers: (round: number) => unknown, idleMs?: number) => {
    worker = new Counting(answers, idleMs);
    worker.onApplicationBootstrap();
  };
  const reaches = (rounds: number) => worker.reaches(rounds);
  afterEach(() => worker.beforeApplicationShutdown());

  it('goes on soon while there is something, and rests for long once there is nothing', async () => {
    start((round) => round < 4, HOUR_MS);
    await reaches(4);
    const restless = new Counting(() => true);
    restless.onApplicationBootstrap();
    await restless.reaches(20);
    await restless.beforeApplicationShutdown();

    expect(worker.done).toBe(4);
  });

  it('does not rest when it is woken', async () => {
    start(() => false, HOUR_MS);
    await reaches(1);
    worker.wake();

    await expect(reaches(2)).resolves.toBeUndefined();
  });

  it('goes on soon after a failure', async () => {
    start((round) => (round === 1 ? Promise.reject(new Error('away')) : true), HOUR_MS);

    await expect(reaches(3)).resolves.toBeUndefined();
  });

  it('goes on soon whatever a round answers, where it has no longer pause', async () => {
    start(() => false);

    await expect(reaches(3)).resolves.toBeUndefined();
  });
});
