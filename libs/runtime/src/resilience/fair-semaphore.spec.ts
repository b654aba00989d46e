import { Refusal } from '@codase/contracts';
import { FairSemaphore, type Saturated } from './fair-semaphore.ts';

const refusal = (why: Saturated) => new Refusal('rate_limit.exceeded').because(why);
const semaphoreOf = ({ total, each, waitMs = 20 }: { total: number; each: number; waitMs?: number }) =>
  new FairSemaphore({ total, each, queuedEach: each, waitMs }, refusal);

describe('the permits of a fair semaphore', () => {
  it('are a few for the same owner, whoever else comes', async () => {
    const semaphore = semaphoreOf({ total: 10, each: 2 });
    const release = await semaphore.acquire('acme');
    await semaphore.acquire('acme');

    await expect(semaphore.acquire('acme')).rejects.toThrow('owner');
    await semaphore.acquire('bolt');
    release();
    await semaphore.acquire('acme');
  });

  it('are so many in all, and each given back is one to take', async () => {
    const semaphore = semaphoreOf({ total: 3, each: 2 });
    const [release] = await Promise.all(['acme', 'bolt', 'core'].map((owner) => semaphore.acquire(owner)));

    await expect(semaphore.acquire('dune')).rejects.toThrow('total');
    release!();
    await semaphore.acquire('dune');
    await expect(semaphore.acquire('edge')).rejects.toThrow('total');
  });

  it('are waited for in turn; who may not come yet lets others by', async () => {
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

  it('go to the owners in turn, whoever has asked most', async () => {
    const semaphore = new FairSemaphore({ total: 1, queuedEach: 10 });
    const served: string[] = [];
    const ask = (owner: string) => semaphore.run(owner, async () => void served.push(owner));

    await Promise.all([...Array.from({ length: 4 }, () => ask('crowd')), ask('quiet')]);
    expect(served).toEqual(['crowd', 'crowd', 'quiet', 'crowd', 'crowd']);
  });

  it('are queued for by as many callers of the same owner as the capacity says', async () => {
    const semaphore = semaphoreOf({ total: 2, each: 1, waitMs: 5000 });
    const release = await semaphore.acquire('acme');
    const second = semaphore.acquire('acme');

    await expect(semaphore.acquire('acme')).rejects.toThrow('owner');
    release();
    await second;
  });

  it('are refused with what is saturated when nobody may queue', async () => {
    const semaphore = new FairSemaphore({ total: 2, each: 1 }, refusal);
    await semaphore.acquire('acme');
    await expect(semaphore.acquire('acme')).rejects.toThrow('owner');
    await semaphore.acquire('bolt');

    await expect(semaphore.acquire('core')).rejects.toThrow('total');
    await expect(semaphore.acquire('bolt')).rejects.toThrow('owner');
  });

  it('are given back by work that fails too', async () => {
    const semaphore = new FairSemaphore({ total: 1 });

    await expect(semaphore.run('acme', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await semaphore.run('acme', async () => 'done')).toBe('done');
  });
});

describe('permits that owners share by how many are free', () => {
  const shared = (total: number) => new FairSemaphore({ total, each: (free) => free });
  const filled = (semaphore: FairSemaphore, owner: string): number => {
    let taken = 0;
    for (; semaphore.isFree(owner); taken++) semaphore.take(owner);
    return taken;
  };

  it('are half of all for one who is alone, and leave some for whoever comes next', () => {
    const semaphore = shared(64);

    expect(['a', 'b', 'c', 'd', 'e'].map((owner) => filled(semaphore, owner))).toEqual([32, 16, 8, 4, 2]);
    expect(semaphore.isFree('f')).toBe(true);
  });

  it('are free again when they are given back', () => {
    const semaphore = shared(2);
    const release = semaphore.take('a');

    expect([semaphore.isFree('a'), semaphore.isFree('b')]).toEqual([false, true]);
    release();
    expect(semaphore.isFree('a')).toBe(true);
  });
});
