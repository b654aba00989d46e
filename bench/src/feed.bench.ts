import { Drains, emit, REGION_MIGRATIONS, type NewEvent } from '@codase/platform';
import { systemClock } from '@codase/runtime/clock';
import { many, migrate, openDatabase, sql, transactionFrom } from '@codase/runtime/db';
import { TrackedAnswer } from '@codase/runtime/http';
import { silentLog } from '@codase/runtime/telemetry';
import { createDatabase } from '@codase/servers';
import type { DataSource } from 'typeorm';
import { bench, type Contender } from './harness/bench.ts';
import { benchPostgres, openBenchDatabase, statementsOn } from './harness/database.ts';

/** The number of rows in the long feed. Set CODASE_BENCH_FEED_ROWS=5000000 for a feed that was not drained for days. */
const LONG_FEED = Number(process.env['CODASE_BENCH_FEED_ROWS'] ?? 300_000);
const SHORT_FEED = 1_000;
/** The changes that make up one drain. Each change touches a few slots. */
const CHANGES = 100;
const EVENTS_OF_A_CHANGE = 5;
const CHANNEL = 'ser_bench';

const newEvent = (nth: number): NewEvent => ({
  company_user_id: 'usr_bench',
  service_id: CHANNEL,
  event: {
    event: 'flow_run_turn',
    person_user_id: 'usr_ana',
    share_code: 'ANA',
    at: new Date().toISOString(),
    flow_run_id: `run_${nth}`,
    awaiting_party: 'company',
  },
});
const NEWS = Array.from({ length: EVENTS_OF_A_CHANGE }, (_, nth) => nth);

async function setup() {
  const postgres = await benchPostgres();
  const short = await openFeed(postgres.url, 'feed_short', SHORT_FEED);
  const long = await openFeed(postgres.url, 'feed_long', LONG_FEED);
  await statementsOn(short.db)`insert into bare (channel, body) select ${CHANNEL}, '{}' from generate_series(1, ${SHORT_FEED}::int)`;
  return { postgres, short, long };
}
type State = Awaited<ReturnType<typeof setup>>;

/** Opens a region's database in which this many events wait, and creates a bare table beside it. */
async function openFeed(adminUrl: string, name: string, waiting: number) {
  const { owner, app } = await createDatabase(adminUrl, { name, ownerPassword: 'bench', appPassword: 'bench' });
  await migrate({ url: owner, name: 'bench', migrations: REGION_MIGRATIONS });
  const asOwner = await openDatabase({ url: owner, name: 'bench', pool: 1, statementMs: 0 }); // millions of rows take their time
  const run = statementsOn(asOwner);
  await run`
    create table bare (channel text not null, seq bigint generated always as identity, body text not null, primary key (channel, seq))`;
  await run`select feed_make_days(current_date, current_date + 2)`;
  await run`
    insert into feed_event (channel, created_at, company_user_id, service_id, event, body)
    select ${CHANNEL}, now() - interval '1 hour', 'usr_bench', ${CHANNEL}, 'flow_run_turn', ${JSON.stringify(newEvent(0).event)}::json
      from generate_series(1, ${waiting}::int)`;
  await run`vacuum analyze feed_event`;
  await asOwner.destroy();
  const db = await openBenchDatabase(app, 4);
  return { db, drains: drainsOf(db) };
}

/** Makes the real drain. Its answer is written at once, because the feed is measured and not the network. */
const drainsOf = (db: DataSource) =>
  new Drains({ writeFrom: (_company, first, work) => transactionFrom(db, first, work) }, [], systemClock, silentLog);

/** Runs changes, each in its own transaction, and then drains as many events. Counts the drained events. */
const turns =
  (change: (state: State) => Promise<unknown>, drain: (state: State) => Promise<number>): Contender<State> =>
  async ({ state, seconds }) => {
    const start = performance.now();
    let operations = 0;
    while (performance.now() - start < seconds * 1000) {
      for (let nth = 0; nth < CHANGES; nth += 1) await change(state);
      operations += await drain(state);
    }
    return { operations, seconds: (performance.now() - start) / 1000 };
  };

const bare = turns(
  ({ short: { db } }) =>
    db.transaction((tx) => {
      const bodies = NEWS.map((nth) => JSON.stringify(newEvent(nth).event));
      return statementsOn(tx)`insert into bare (channel, body) select ${CHANNEL}, unnest(${bodies}::text[])`;
    }),
  ({ short: { db } }) =>
    db.transaction(async (tx) => {
      const rows = await many<{ body: string }>(
        tx,
        sql`
      delete from bare where channel = ${CHANNEL} and seq in (select seq from bare where channel = ${CHANNEL} order by seq limit 500)
        returning body`,
      );
      return rows.map(({ body }) => JSON.parse(body) as unknown).length;
    }),
);

const feed = (of: 'short' | 'long') =>
  turns(
    ({ [of]: { db } }) => db.transaction((tx) => emit(tx, NEWS.map(newEvent))),
    async ({ [of]: { drains } }) => {
      const drained = await drains.drain({ company_user_id: 'usr_bench', channel: CHANNEL });
      if (!(drained instanceof TrackedAnswer)) throw new Error('there was nothing to drain');
      drained.left(true);
      return drained.result.events.length;
    },
  );

/** Measures order, channels, collapse, retention and giving back. A feed that nobody drains must cost no more than a short one. */
export default bench({
  name: 'feed',
  what:
    `events queued in the transaction of their change and drained, against plain SQL on a bare table; with ${SHORT_FEED} and ` +
    `${LONG_FEED} events waiting`,
  unit: 'events/s',
  setup,
  teardown: async ({ postgres, short, long }) => {
    await Promise.all([short.db.destroy(), long.db.destroy()]);
    await postgres.stop();
  },
  contenders: { floor: bare, ours: feed('short'), long: feed('long') },
  bar: [
    { of: 'ours', over: 'floor', atLeast: 0.5 },
    { name: 'flat', of: 'long', over: 'ours', atLeast: 1 / 1.3 },
  ],
});
