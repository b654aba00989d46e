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

describe('PeriodicWorker', () => {
  let worker: Counting;
  const start = (answers: (round: number) => unknown, idleMs?: number) => {
    worker = new Counting(answers, idleMs);
    worker.onApplicationBootstrap();
  };
  const reaches = (rounds: number) => worker.reaches(rounds);
  afterEach(() => worker.beforeApplicationShutdown());

  it('repeats rounds quickly while there is work, and pauses for long when there is none', async () => {
    start((round) => round < 4, HOUR_MS);
    await reaches(4);
    const restless = new Counting(() => true);
    restless.onApplicationBootstrap();
    await restless.reaches(20);
    await restless.beforeApplicationShutdown();

    expect(worker.done).toBe(4);
  });

  it('ends its pause when it is woken', async () => {
    start(() => false, HOUR_MS);
    await reaches(1);
    worker.wake();

    await expect(reaches(2)).resolves.toBeUndefined();
  });

  it('repeats a round soon after a failure', async () => {
    start((round) => (round === 1 ? Promise.reject(new Error('away')) : true), HOUR_MS);

    await expect(reaches(3)).resolves.toBeUndefined();
  });

  it('repeats rounds quickly when it has no idle pause, regardless of their result', async () => {
    start(() => false);

    await expect(reaches(3)).resolves.toBeUndefined();
  });
});
