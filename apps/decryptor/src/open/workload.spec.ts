import { Workload } from './workload.ts';

const settled = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (refusal: { key: string }) => refusal.key,
  );

describe('workload limit', () => {
  it('accepts work while there is room for its values and characters, and frees the room afterwards', async () => {
    const levels: number[] = [];
    const workload = new Workload({ values: 10, chars: 100 }, (change) => levels.push(change));
    let finish = () => {};
    const first = workload.within('shop', { values: 6, chars: 60 }, () => new Promise<void>((resolve) => (finish = resolve)));
    const attempt = (values: number, chars: number) => settled(workload.within('desk', { values, chars }, async () => undefined));

    expect(await attempt(5, 1)).toBe('service.unavailable');
    expect(await attempt(1, 41)).toBe('service.unavailable');
    expect(await attempt(4, 40)).toBe('done');

    finish();
    await first;
    expect(await attempt(10, 100)).toBe('done');
    expect(levels).toEqual([6, 4, -4, -6, 10, -10]);
  });

  it('accepts the next request of a caller beside a flood while its last one is under way still', async () => {
    const workload = new Workload({ values: 400, chars: 400 });
    const flood = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    const begin = (caller: string, values: number, until: Promise<void>) => workload.within(caller, { values, chars: 0 }, () => until);
    const floods = Array.from({ length: 12 }, () => settled(begin('greedy', 50, flood.promise)));
    const lasts = settled(begin('modest', 1, last.promise));

    expect(await settled(begin('modest', 1, Promise.resolve()))).toBe('done');

    flood.resolve();
    last.resolve();
    expect(await lasts).toBe('done');
    expect((await Promise.all(floods)).filter((outcome) => outcome === 'done')).toHaveLength(6);
  });

  it('frees the room of work that failed', async () => {
    const workload = new Workload({ values: 1, chars: 1 });
    const fails = () => workload.within('shop', { values: 1, chars: 1 }, () => Promise.reject(new Error('broken')));

    await expect(fails()).rejects.toThrow('broken');
    await expect(fails()).rejects.toThrow('broken');
  });

  it('keeps room for other callers, however much one caller has queued', async () => {
    const workload = new Workload({ values: 8, chars: 800 });
    let finish = () => {};
    const begin = (caller: string, values: number, chars = values) =>
      workload.within(
        caller,
        { values, chars },
        () =>
          new Promise<void>((resolve) => {
            const before = finish;
            finish = () => {
              before();
              resolve();
            };
          }),
      );
    const underWay = [begin('greedy', 4), begin('greedy', 2)];

    expect(await settled(begin('greedy', 1))).toBe('service.unavailable');
    expect(await settled(begin('greedy', 0, 600))).toBe('service.unavailable');
    underWay.push(begin('modest', 1));
    expect(await settled(begin('greedy', 1))).toBe('service.unavailable');
    underWay.push(begin('third', 1));
    expect(await settled(begin('fourth', 1))).toBe('service.unavailable');

    finish();
    expect(await settled(Promise.all(underWay))).toBe('done');
    expect(await settled(workload.within('greedy', { values: 8, chars: 8 }, async () => undefined))).toBe('done');
  });
});
