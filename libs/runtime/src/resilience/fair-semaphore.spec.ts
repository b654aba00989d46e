import { Refusal } from '@codase/contracts';
import { FairSemaphore, type Saturated } from './fair-semaphore.ts';

const refusal = (why: Saturated) => new Refusal('rate_limit.exceeded').because(why);
const semaphoreOf = ({ total, each, waitMs = 20 }: { total: number; each: number; waitMs?: number }) =>
  new FairSemaphore({ total, each, queuedEach: each, waitMs }, refusal);

describe('a fair semaphore', () => {
  it('limits the permits of each owner', async () => {
    const semaphore = semaphoreOf({ total: 10, each: 2 });
    const release = await semaphore.acquire('acme');
    await semaphore.acquire('acme');

    await expect(semaphore.acquire('acme')).rejects.toThrow('owner');
    await semaphore.acquire('bolt');
    release();
    await semaphore.acquire('acme');
  });

  it('limits the permits in total, and reuses a released permit', async () => {
    const semaphore = semaphoreOf({ total: 3, each: 2 });
    const [release] = await Promise.all(['acme', 'bolt', 'core'].map((owner) => semaphore.acquire(owner)));

    await expect(semaphore.acquire('dune')).rejects.toThrow('total');
    release!();
    await semaphore.acquire('dune');
    await expect(semaphore.acquire('edge')).rejects.toThrow('total');
  });

  it('grants permits to waiting callers in order, and skips an owner that is at its limit', async () => {
    const semaphore = semaphoreOf({ total: 2, each: 1, waitMs: 5000 });
    const came: string[] = [];
    const [acme, bolt] = [await semaphore.acquire('acme'), await semaphore.acquire('bolt')];
    const waiting = ['acme', 'core', 'dune'].map((owner) =>
      semaphore.acquire(owner).then((release) => [came.push(owner), release] as const),
    );

    bolt();
    const [, core] = await waiting[1]!;
    acme();
    await waiting[0];
    expect(came).toEqual(['core', 'acme']);
    core();
    await waiting[2];
  });

  it('grants permits to the owners in turn, however many requests one of them has', async () => {
    const semaphore = new FairSemaphore({ total: 1, queuedEach: 10 });
    const served: string[] = [];
    const ask = (owner: string) => semaphore.run(owner, async () => void served.push(owner));

    await Promise.all([...Array.from({ length: 4 }, () => ask('crowd')), ask('quiet')]);
    expect(served).toEqual(['crowd', 'crowd', 'quiet', 'crowd', 'crowd']);
  });

  it('lets only a limited number of callers per owner queue', async () => {
    const semaphore = semaphoreOf({ total: 2, each: 1, waitMs: 5000 });
    const release = await semaphore.acquire('acme');
    const second = semaphore.acquire('acme');

    await expect(semaphore.acquire('acme')).rejects.toThrow('owner');
    release();
    await second;
  });

  it('refuses at once and says whether the owner or the total is saturated, when queueing is off', async () => {
    const semaphore = new FairSemaphore({ total: 2, each: 1 }, refusal);
    await semaphore.acquire('acme');
    await expect(semaphore.acquire('acme')).rejects.toThrow('owner');
    await semaphore.acquire('bolt');

    await expect(semaphore.acquire('core')).rejects.toThrow('total');
    await expect(semaphore.acquire('bolt')).rejects.toThrow('owner');
  });

  it('releases the permit of work that fails', async () => {
    const semaphore = new FairSemaphore({ total: 1 });

    await expect(semaphore.run('acme', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await semaphore.run('acme', async () => 'done')).toBe('done');
  });
});

describe('a fair semaphore whose limit per owner is the number of free permits', () => {
  const shared = (total: number) => new FairSemaphore({ total, each: (free) => free });
  const filled = (semaphore: FairSemaphore, owner: string): number => {
    let taken = 0;
    for (; semaphore.isFree(owner); taken++) semaphore.take(owner);
    return taken;
  };

  it('gives a single owner half of all permits, and always leaves some for another owner', () => {
    const semaphore = shared(64);

    expect(['a', 'b', 'c', 'd', 'e'].map((owner) => filled(semaphore, owner))).toEqual([32, 16, 8, 4, 2]);
    expect(semaphore.isFree('f')).toBe(true);
  });

  it('makes released permits available again', () => {
    const semaphore = shared(2);
    const release = semaphore.take('a');

    expect([semaphore.isFree('a'), semaphore.isFree('b')]).toEqual([false, true]);
    release();
    expect(semaphore.isFree('a')).toBe(true);
  });
});
