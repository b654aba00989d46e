import { setTimeout as sleep } from 'node:timers/promises';
import type { Refusal } from '@codase/contracts';
import { Deadline } from '../routing/deadline.ts';
import { RateLimiter, type RateLimiterOptions } from './rate-limiter.ts';

const limiter = (options: Partial<RateLimiterOptions> = {}) =>
  new RateLimiter({ bucket: { burst: 2, per_second: 50 }, queue: 10, in_flight: 10, ...options });
const nothing = async () => {};

describe('rate limiter @spec D1-5.4', () => {
  it('runs a burst at once, and further calls as the bucket fills', async () => {
    const paced = limiter({ bucket: { burst: 2, per_second: 20 } });
    const times: number[] = [];
    await Promise.all(Array.from({ length: 6 }, () => paced.run('a', new Deadline(), async () => void times.push(performance.now()))));

    expect(times[5]! - times[1]!).toBeGreaterThan(150); // four more calls at 19 a second, which is 95 % of the bucket's rate
    expect(times[1]! - times[0]!).toBeLessThan(times[5]! - times[1]!);
  });

  it('serves callers in turn, however many calls one of them has queued', async () => {
    const served: string[] = [];
    const paced = limiter({ in_flight: 1, bucket: { burst: 100, per_second: 100 } });
    const ask = (by: string) =>
      paced.run(by, new Deadline(), async () => {
        served.push(by);
        await sleep(1);
      });
    await Promise.all([...Array.from({ length: 6 }, () => ask('crowd')), ask('quiet')]);

    expect(served.indexOf('quiet')).toBeLessThanOrEqual(2);
  });

  it('refuses a call that would not run within its deadline, with Retry-After', async () => {
    const reasons: string[] = [];
    const slow = limiter({ bucket: { burst: 1, per_second: 0.01 }, onRefused: (reason) => reasons.push(reason) });
    await slow.run('a', new Deadline(), nothing);

    const refusal = await slow.run('a', new Deadline(), nothing).catch((error: Refusal) => error);
    expect(refusal).toMatchObject({ key: 'service.unavailable' });
    expect((refusal as Refusal).retryAfter).toBeGreaterThan(95);
    expect(reasons).toEqual(['no_turn_in_time']);
  });

  it('refuses a call when its queue is full', async () => {
    const reasons: string[] = [];
    let finish = () => {};
    const small = limiter({ bucket: { burst: 100, per_second: 100 }, queue: 1, in_flight: 1, onRefused: (reason) => reasons.push(reason) });
    const busy = small.run('a', new Deadline(), () => new Promise<void>((resolve) => (finish = resolve)));
    const waits = small.run('a', new Deadline(), nothing);

    await expect(small.run('b', new Deadline(), nothing)).rejects.toMatchObject({ key: 'service.unavailable', retryAfter: 1 });
    finish();
    await Promise.all([busy, waits]);
    expect(reasons).toEqual(['queue_full']);
  });

  it('drops the last call of the caller with the longest queue to make room for another caller', async () => {
    let finish = () => {};
    const served: string[] = [];
    const small = limiter({ bucket: { burst: 100, per_second: 100 }, queue: 4, in_flight: 1 });
    const busy = small.run('crowd', new Deadline(), () => new Promise<void>((resolve) => (finish = resolve)));
    const ask = (by: string) => small.run(by, new Deadline(), async () => void served.push(by)).catch((error: Refusal) => error.key);
    const crowd = Array.from({ length: 4 }, () => ask('crowd'));
    const quiet = [ask('quiet'), ask('quiet')];
    const third = ask('quiet');
    await third;
    finish();

    expect(await Promise.all(crowd)).toEqual([undefined, undefined, 'service.unavailable', 'service.unavailable']);
    expect(await Promise.all([...quiet, third, busy])).toEqual([undefined, undefined, 'service.unavailable', undefined]);
    expect(served).toEqual(['crowd', 'quiet', 'crowd', 'quiet']);
  });

  it('refuses queued and later calls when it closes', async () => {
    let queued = 0;
    let finish = () => {};
    const closing = limiter({ in_flight: 1, onQueue: (by) => void (queued += by) });
    const busy = closing.run('a', new Deadline(), () => new Promise<void>((resolve) => (finish = resolve)));
    const waits = closing.run('b', new Deadline(), nothing);
    closing.close();

    await expect(waits).rejects.toMatchObject({ key: 'service.unavailable', retryAfter: 1 });
    await expect(closing.run('c', new Deadline(), nothing)).rejects.toMatchObject({ key: 'service.unavailable' });
    finish();
    await busy;
    expect(queued).toBe(0);
  });

  it('pauses all calls when the platform reports an empty bucket', async () => {
    const paced = limiter({ bucket: { burst: 100, per_second: 100 } });
    paced.pause(0.2);
    const startedAt = performance.now();
    await paced.run('a', new Deadline(), nothing);

    expect(performance.now() - startedAt).toBeGreaterThan(150);
  });

  it('uses its share of the bucket while others share it, and all of it again afterwards', async () => {
    let now = 0;
    const shared = limiter({ bucket: { burst: 10, per_second: 100 }, now: () => now });
    const goes = async () => {
      const done: number[] = [];
      for (let i = 0; i < 12; i++) void shared.run('a', new Deadline(50), async () => void done.push(i)).catch(() => undefined);
      await sleep(0);
      return done.length;
    };
    shared.divide(2);
    expect(await goes()).toBe(5);
    await sleep(60);
    shared.divide(1);
    now += 1000;
    expect(await goes()).toBe(10);
    shared.close();
  });

  it('gives the turn of a call that timed out to the next one', async () => {
    let queued = 0;
    let finish = () => {};
    const single = limiter({ in_flight: 1, bucket: { burst: 100, per_second: 100 }, onQueue: (by) => void (queued += by) });
    const busy = single.run('a', new Deadline(), () => new Promise<void>((resolve) => (finish = resolve)));

    await expect(single.run('b', new Deadline(30), nothing)).rejects.toMatchObject({ key: 'service.unavailable' });
    const next = single.run('c', new Deadline(), nothing);
    finish();
    await Promise.all([busy, next]);
    expect(queued).toBe(0);
  });
});
