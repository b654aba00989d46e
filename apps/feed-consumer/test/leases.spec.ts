import { execute, openDatabase, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { testDatabase, type TestDatabase } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { migrateFeedConsumer } from '../src/index.ts';
import { fence, ShardLeases } from '@codase/runtime/resilience/leases';

const NAMES = ['p00', 'p01', 'p02', 'p03', 'p04'];

describe('shard leases among replicas', () => {
  let database: TestDatabase;
  let db: DataSource;
  beforeEach(async () => {
    database = await testDatabase();
    await migrateFeedConsumer({ url: database.owner });
    db = await openDatabase({ url: database.app, name: 'story', pool: 4 });
  });
  afterEach(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const replica = (owner: string) => new ShardLeases(db, silentLog, { kind: 'shard', names: NAMES, owner, seconds: 30 });
  /** Brings the end of every lease and replica closer by `seconds`: they end by the database's clock, which a test cannot move. */
  const pass = async (seconds: number) => {
    await execute(db, sql`update lease set until = until - make_interval(secs => ${seconds})`);
    await execute(db, sql`update replica set until = until - make_interval(secs => ${seconds})`);
  };
  const held = (leases: ShardLeases) => NAMES.filter((name) => leases.held(name));

  it('all go to the only replica', async () => {
    const one = replica('one');
    await one.renew();

    expect(held(one)).toEqual(NAMES);
  });

  it('are shared with a new replica once the surplus ones have expired, and never have two owners', async () => {
    const [one, two] = [replica('one'), replica('two')];
    await one.renew();
    const finishing = one.held('p04')!;
    for (let renewals = 0; renewals < 2; renewals++) {
      await two.renew();
      expect(held(two)).toEqual([]);
      await one.renew();
      expect(held(one)).toHaveLength(3);
      await db.transaction((tx) => fence(tx, finishing));
      await pass(15);
    }

    await one.renew();
    await two.renew();

    expect(held(one)).toHaveLength(3);
    expect(held(two)).toHaveLength(2);
    expect([...held(one), ...held(two)].sort()).toEqual(NAMES);
  });

  it('go to another replica when they expire, and late writes of the former owner are refused', async () => {
    const [one, two] = [replica('one'), replica('two')];
    await one.renew();
    const old = one.held('p00')!;
    await pass(31);
    await two.renew();

    expect(held(two)).toEqual(NAMES);
    await expect(db.transaction((tx) => fence(tx, old))).rejects.toThrow('has gone to another replica');
    await db.transaction((tx) => fence(tx, two.held('p00')!));
  });

  it('return at once to a replica that restarts under its name, and its former process is refused', async () => {
    const crashed = replica('one');
    await crashed.renew();
    const old = crashed.held('p00')!;
    const again = replica('one');
    await again.renew();

    expect(held(again)).toEqual(NAMES);
    await expect(db.transaction((tx) => fence(tx, old))).rejects.toThrow('has gone to another replica');
  });

  it('keep their owner and epoch while they are renewed', async () => {
    const one = replica('one');
    await one.renew();
    const lease = one.held('p00')!;
    await pass(20);
    await one.renew();
    await pass(20);

    const two = replica('two');
    await two.renew();

    expect(held(two)).toEqual([]);
    await db.transaction((tx) => fence(tx, lease));
  });

  it('are free at once when a replica stops gracefully', async () => {
    const [one, two] = [replica('one'), replica('two')];
    await one.start();
    await one.stop();
    await two.renew();

    expect(held(one)).toEqual([]);
    expect(held(two)).toEqual(NAMES);
  });

  it('are not used when less than the required time is left', async () => {
    const one = replica('one');
    await one.renew();

    expect(one.held('p00', 29_000)).toBeDefined();
    expect(one.held('p00', 31_000)).toBeUndefined();
  });
});
