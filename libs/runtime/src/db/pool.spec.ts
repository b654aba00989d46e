import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { setImmediate as moment } from 'node:timers/promises';
import { ConnectionPool } from './pool.ts';

/** A client that opens when the test lets it, and answers nothing. */
class FakeClient extends EventEmitter {
  static opening: ((error?: Error) => void)[] = [];
  _queryable = true;
  connection = { stream: { destroyed: false } };

  connect(opened: (error?: Error) => void): void {
    FakeClient.opening.push(opened);
  }

  end(ended: () => void): void {
    ended();
  }

  ref(): void {}
  unref(): void {}
}

/** A pool whose idle connections do not keep the test process running. */
const poolOf = (max = 10, host?: string) =>
  new ConnectionPool({ max, allowExitOnIdle: true, Client: FakeClient, ...(host !== undefined && { host }) } as never);

async function openAll(error?: Error): Promise<void> {
  for (const opened of FakeClient.opening.splice(0)) opened(error);
  await moment();
}

const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
/** Waits until the pool tries to open a connection. */
const isOpening = async () => {
  while (FakeClient.opening.length === 0) await moment();
};

/** A pool with one connection, which is in use. Its opening counts as longer than any test, so that waiting opens no further one. */
async function withOneInUse() {
  const pool = poolOf();
  const first = pool.connect();
  await openAll();
  pool['openingMs'] = Infinity;
  return { pool, used: await first };
}

describe('the connection pool', () => {
  afterEach(() => FakeClient.opening.splice(0));

  it('hands a connection from one waiting caller to the next, in order', async () => {
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

  it('gives a free connection to only one of several concurrent callers', async () => {
    const { pool, used } = await withOneInUse();
    used.release();

    const [first, second] = [pool.connect(), pool.connect()];
    expect(pool.queuedCount).toBe(1); // the first caller gets the free connection in the next tick
    (await first).release();
    for (let i = 0; i < 5; i += 1) await moment();
    expect(FakeClient.opening).toEqual([]);
    await second;

    expect(pool.totalCount).toBe(1);
  });

  it('opens another connection when a caller has waited as long as the last connection took to open', async () => {
    const { pool } = await withOneInUse();
    pool['openingMs'] = 1;

    const second = pool.connect();
    while (FakeClient.opening.length === 0) await moment();
    await openAll();
    await second;

    expect(pool.totalCount).toBe(2);
    expect(pool.queuedCount).toBe(0);
  });

  it('opens one connection at a time, and another while a caller still waits', async () => {
    const { pool } = await withOneInUse();
    pool['openingMs'] = 1;

    const [second, third] = [pool.connect(), pool.connect()];
    while (!pool['waiting'].every(({ isOverdue }) => isOverdue)) await moment();
    expect(FakeClient.opening).toHaveLength(1);

    await openAll();
    await second;
    expect(FakeClient.opening).toHaveLength(1);
    await openAll();
    await third;
    expect(pool.totalCount).toBe(3);
  });

  it('rejects every waiting caller when connections cannot be opened', async () => {
    const { pool } = await withOneInUse();
    pool['openingMs'] = 1;
    pool['awaySince'] = -Infinity;

    const failed = Promise.all([pool.connect(), pool.connect(), pool.connect()].map((one) => one.catch((error: unknown) => error)));
    await isOpening();
    await openAll(refused);
    expect(FakeClient.opening).toHaveLength(2);
    await openAll(refused);

    expect(await failed).toEqual([refused, refused, refused]);
  });

  it('makes callers wait instead of opening more connections than its maximum', async () => {
    const pool = poolOf(1);
    const first = pool.connect();
    await openAll();
    const second = pool.connect();
    (await first).release();

    expect(await second).toBe(await first);
  });

  it("runs a caller's callback in the async context of that caller", async () => {
    const { pool, used } = await withOneInUse();
    const context = new AsyncLocalStorage<string>();
    const seen = new Promise((resolve) => context.run('waits', () => pool.connect(() => resolve(context.getStore()))));

    context.run('sets it free', () => used.release());

    expect(await seen).toBe('waits');
  });

  it('retries while the database server restarts, and fails at once when the server stays down', async () => {
    const { pool, used } = await withOneInUse();
    used.release(new Error('the server is gone'));
    await moment();

    const waiting = pool.connect();
    for (const error of [refused, refused, undefined]) {
      await isOpening();
      await openAll(error);
    }
    (await waiting).release(new Error('gone again'));

    const inVain = pool.connect().catch((error: unknown) => error);
    await isOpening();
    pool['awaySince'] = -Infinity;
    await openAll(refused);
    expect(await inVain).toBe(refused);
  });

  it('makes one connection attempt for all waiting callers while the server restarts', async () => {
    const { pool, used } = await withOneInUse();
    used.release(new Error('the server is gone'));
    await moment();
    const order: number[] = [];
    const turns = [1, 2, 3].map(async (turn) => {
      const client = await pool.connect();
      order.push(turn);
      client.release();
    });
    await isOpening();
    await openAll(refused);
    turns.push(pool.connect().then((client) => (order.push(4), client.release())));

    await isOpening();
    expect(FakeClient.opening).toHaveLength(1);
    expect(pool.queuedCount).toBe(4);
    await openAll();
    await Promise.all(turns);

    expect(order).toHaveLength(4);
    expect(pool.totalCount).toBe(1);
    expect(pool.queuedCount).toBe(0);
  });

  it('reconnects the other pools of the same server when the server is back', async () => {
    const [pool, neighbour, unused, elsewhere] = [poolOf(10, 'a'), poolOf(10, 'a'), poolOf(10, 'a'), poolOf(10, 'b')];
    for (const one of [pool, neighbour, elsewhere]) {
      const opened = one.connect();
      await openAll();
      (await opened).release(new Error('the server is gone'));
    }
    await moment();

    const waiting = pool.connect();
    await isOpening();
    await openAll(refused);
    await isOpening();
    await openAll();
    await waiting;

    expect(FakeClient.opening).toHaveLength(1);
    await openAll();
    expect([neighbour, unused, elsewhere].map(({ idleCount }) => idleCount)).toEqual([1, 0, 0]);
    await Promise.all([neighbour, unused, elsewhere].map((one) => one.end()));
  });

  it('does not wait for a server it never reached, nor retry when all connections are in use', async () => {
    const never = poolOf()
      .connect()
      .catch((error: unknown) => error);
    await openAll(refused);
    expect(await never).toBe(refused);

    const { pool } = await withOneInUse();
    expect(pool['isWaitedFor'](new Error('timeout exceeded when trying to connect'))).toBe(false);
  });
});
