import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { setImmediate as moment } from 'node:timers/promises';
import { ConnectionPool } from './pool.ts';

/** Opens when it is let, and answers nothing. */
class FakeClient extends EventEmitter {
  static opening: (() => void)[] = [];
  _queryable = true;

  connect(opened: (error?: Error) => void): void {
    FakeClient.opening.push(opened);
  }

  end(ended: () => void): void {
    ended();
  }
}

const poolOf = (max = 10) => new ConnectionPool({ max, Client: FakeClient } as never);

async function openAll(): Promise<void> {
  for (const opened of FakeClient.opening.splice(0)) opened();
  await moment();
}

/** A pool with one connection, which is in use; it took as long to open as no test does. */
async function withOneInUse() {
  const pool = poolOf();
  const first = pool.connect();
  await openAll();
  pool['openingMs'] = Infinity;
  return { pool, used: await first };
}

describe('A pool of connections', () => {
  afterEach(() => FakeClient.opening.splice(0));

  it('gives one connection to many who need it for a moment', async () => {
    const { pool, used } = await withOneInUse();
    const order: number[] = [];
    const turns = [1, 2, 3].map(async (turn) => {
      const client = await pool.connect();
      order.push(turn);
      await moment();
      client.release();
    });
    expect(pool.queuedCount).toBe(3);

    used.release();
    await Promise.all(turns);

    expect(order).toEqual([1, 2, 3]);
    expect(pool.totalCount).toBe(1);
  });

  it('gives one that is free to one alone of those who ask at once', async () => {
    const { pool, used } = await withOneInUse();
    used.release();

    const [first, second] = [pool.connect(), pool.connect()];
    (await first).release();
    for (let i = 0; i < 5; i += 1) await moment();
    expect(FakeClient.opening).toEqual([]);
    await second;

    expect(pool.totalCount).toBe(1);
  });

  it('opens a further one for who has waited as long as the last took to open', async () => {
    const { pool } = await withOneInUse();
    pool['openingMs'] = 1;

    const second = pool.connect();
    while (FakeClient.opening.length === 0) await moment();
    await openAll();
    await second;

    expect(pool.totalCount).toBe(2);
    expect(pool.queuedCount).toBe(0);
  });

  it('waits for no more than it may have', async () => {
    const pool = poolOf(1);
    const first = pool.connect();
    await openAll();
    const second = pool.connect();
    (await first).release();

    expect(await second).toBe(await first);
  });

  it('goes on in the context of who waited', async () => {
    const { pool, used } = await withOneInUse();
    const context = new AsyncLocalStorage<string>();
    const seen = new Promise((resolve) => context.run('waits', () => pool.connect(() => resolve(context.getStore()))));

    context.run('sets it free', () => used.release());

    expect(await seen).toBe('waits');
  });
});
