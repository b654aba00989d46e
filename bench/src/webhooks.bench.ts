import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Outgoing, REGION_MIGRATIONS, RegionDelivery, StoredSecrets } from '@cds/platform';
import { systemClock } from '@cds/runtime/clock';
import { many, migrate, one, openDatabase, sql } from '@cds/runtime/db';
import { Outbound } from '@cds/runtime/http';
import { silentLog } from '@cds/runtime/telemetry';
import { createDatabase, startPostgres } from '@cds/testing/infra';
import type { DataSource } from 'typeorm';
import { Agent, request } from 'undici';
import { bench, type Contender } from './harness/bench.ts';

/** Set CDS_BENCH_WEBHOOKS=10000 for as many as a large region has. */
const WEBHOOKS = Number(process.env['CDS_BENCH_WEBHOOKS'] ?? 1_000);
const EVENTS_EACH = 5;
/** Webhooks that the bare loop serves at once; more did not make it faster. */
const LANES = 64;
const BODY = JSON.stringify({ event: 'flow_run_turn', person_user_id: 'usr_ana', share_code: 'ANA', at: new Date(0).toISOString(), flow_run_id: 'run_1', awaiting_party: 'company' });

async function setup() {
  const postgres = await startPostgres({ durable: true, password: randomBytes(16).toString('hex') });
  const { owner, app } = await createDatabase(postgres.url, { name: 'delivery', ownerPassword: 'bench', appPassword: 'bench' });
  await migrate({ url: owner, name: 'bench', migrations: REGION_MIGRATIONS });
  const asOwner = await openDatabase({ url: owner, name: 'bench', pool: 1 });
  await many(asOwner, sql`create table bare (hook text not null, seq bigint generated always as identity, body text not null, primary key (hook, seq))`);
  await many(asOwner, sql`select feed_make_days(current_date, current_date + 2)`);
  await asOwner.destroy();
  const db = await openDatabase({ url: app, name: 'bench', pool: 10 });
  const endpoint = await openEndpoint();
  const stored = new StoredSecrets(randomBytes(32));
  const hooks = await addWebhooks(db, endpoint.url, stored);
  const outbound = new Outbound({ loopback: true });
  const delivery = new RegionDelivery({
    region: 'eu', db, slots: { statesOf: async () => new Map() }, outgoing: new Outgoing(outbound, stored), clock: systemClock, log: silentLog, isPaused: () => false,
  });
  await delivery.start();
  return { postgres, db, endpoint, hooks, outbound, delivery, agent: new Agent({ pipelining: 1 }) };
}
type State = Awaited<ReturnType<typeof setup>>;

/** Answers 200 to everything, and counts. */
async function openEndpoint() {
  const seen = { count: 0 };
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      seen.count += 1;
      response.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function addWebhooks(db: DataSource, url: string, stored: StoredSecrets): Promise<string[]> {
  await many(db, sql`
    insert into profile (user_id, type, display_name, language, share_code, public_key, created_at)
    values ('usr_bench', 'company', 'Bench', 'en', 'BENCH', '', now())`);
  await many(db, sql`
    insert into service (service_id, company_user_id, name, share_code, public_key, created_at)
    values ('ser_bench', 'usr_bench', 'Bench', 'BENCH', '', now())`);
  const hooks = Array.from({ length: WEBHOOKS }, (_, nth) => `wh_${nth}`);
  await many(db, sql`
    insert into webhook (webhook_id, company_user_id, service_id, url, events, format, auth_type, encrypt_payload, enabled, sealed_secrets, health_since, created_at)
    select id, 'usr_bench', 'ser_bench', ${url}, '{}', 'json', 'none', false, true, secrets, now(), now()
      from unnest(${hooks}::text[], ${hooks.map((id) => stored.seal({}, id))}::text[]) h (id, secrets)`);
  return hooks;
}

/** Queues events outside of the measured time, then waits until all of them were taken and deleted. */
const delivering =
  (queue: (state: State) => Promise<unknown>, deliver: (state: State) => Promise<unknown>): Contender<State> =>
  async ({ state, seconds }) => {
    let operations = 0;
    let spent = 0;
    while (spent < seconds) {
      await queue(state);
      const [start, before] = [performance.now(), state.endpoint.seen.count];
      await deliver(state);
      spent += (performance.now() - start) / 1000;
      operations += state.endpoint.seen.count - before;
    }
    return { operations, seconds: spent };
  };

/** Each webhook by itself: read the oldest row, post it, delete it. */
const bare = delivering(
  ({ db, hooks }) => many(db, sql`insert into bare (hook, body) select h, ${BODY} from generate_series(1, ${EVENTS_EACH}::int), unnest(${hooks}::text[]) h`),
  async ({ db, hooks, endpoint, agent }) => {
    const waiting = [...hooks];
    const lane = async () => {
      for (let hook = waiting.pop(); hook !== undefined; hook = waiting.pop()) while (await postOldest(db, hook, endpoint.url, agent));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  },
);

async function postOldest(db: DataSource, hook: string, url: string, agent: Agent): Promise<boolean> {
  const row = await one<{ seq: string; body: string }>(db, sql`select seq, body from bare where hook = ${hook} order by seq limit 1`);
  if (!row) return false;
  const { statusCode, body } = await request(url, { method: 'POST', body: row.body, dispatcher: agent });
  await body.dump();
  if (statusCode === 200) await many(db, sql`delete from bare where hook = ${hook} and seq = ${row.seq}`);
  return true;
}

const ours = delivering(
  ({ db, hooks }) => many(db, sql`
    insert into feed_event (channel, created_at, company_user_id, service_id, event, body)
    select h, now(), 'usr_bench', 'ser_bench', 'flow_run_turn', ${BODY}::json from generate_series(1, ${EVENTS_EACH}::int), unnest(${hooks}::text[]) h`),
  async ({ db, hooks }) => {
    await many(db, sql`select pg_notify('feed_event', h) from unnest(${hooks}::text[]) h`);
    while (await one(db, sql`select from feed_event limit 1`)) await pause(10);
  },
);

/** What order, leases, health, secrets, deadlines and checked addresses cost, against a loop that does none of it. */
export default bench({
  name: 'webhooks',
  what: `events delivered to ${WEBHOOKS} webhooks in order, against a bare loop of select, POST and delete`,
  unit: 'deliveries/s',
  setup,
  teardown: async ({ postgres, db, endpoint, outbound, delivery, agent }) => {
    await delivery.close();
    await Promise.all([outbound.close(), agent.destroy(), db.destroy()]);
    endpoint.server.closeAllConnections();
    endpoint.server.close();
    await postgres.stop();
  },
  contenders: { floor: bare, ours },
  bar: 1,
});
