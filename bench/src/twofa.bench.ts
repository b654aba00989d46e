import { FEED } from '@codase/contracts';
import { makeConsumers } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import { createDatabase } from '@codase/servers';
import { DEMO, regionUrl } from '@codase/stack';
import { BenchStack } from './harness/bench-stack.ts';
import { bench } from './harness/bench.ts';
import { onDatabase, openBenchDatabase } from './harness/database.ts';
import { addShopPersons, type ShopPerson } from './harness/shop-persons.ts';
import { Logins, type LoginCalls } from './twofa/logins.ts';
import { PendingLogins } from './twofa/pending-logins.ts';

const PORT = 14_500;
const FLOOR_PORT = 14_598;
const MIN_PORT = 14_599;
/** Enough persons that each is asked only a few times. Ours and the floor get the same number, since the floor uses the same tables. */
const PERSONS = 8000;
const PENDING = 1000;

/** Starts servers that do not wait for the disk: the disk would slow both sides equally and hide the difference. */
async function setup() {
  const stack = await BenchStack.open({ durable: false, port: PORT });
  const { databases } = stack.settings;
  for (const unit of ['front-door', 'region-eu'] as const) await stack.start(unit);
  const persons = await enrolPersons(stack);
  const on = (port: number) => `http://127.0.0.1:${port}`;
  await stack.startOther(new URL('twofa/floor-process.js', import.meta.url), {
    PORT: String(FLOOR_PORT),
    DATABASE_URL: databases.region_eu.app,
    COMPANY: DEMO.keys.account,
    SERVICE: DEMO.keys.shop,
  });
  const bare = await createDatabase(stack.postgres.url, { name: 'bare', ownerPassword: 'bench', appPassword: 'bench' });
  await stack.startOther(new URL('twofa/least-process.js', import.meta.url), { PORT: String(MIN_PORT), DATABASE_URL: bare.owner });
  const [gateway, feed] = [await stack.bus('gateway'), await stack.bus('feed-consumer')];
  await makeConsumers(feed, FEED.stream!, silentLog);
  const logins = await openBenchDatabase(databases.twofa.app);
  const token = await stack.mint(DEMO.client_id, DEMO.client_id);
  return {
    stack,
    buses: [gateway, feed],
    logins,
    ours: new Logins(callsOf(regionUrl(stack.settings.ports, 'eu'), token), persons.slice(PERSONS)),
    floor: new Logins(floorCallsOf(on(FLOOR_PORT)), persons.slice(0, PERSONS)),
    least: new Logins(leastCallsOf(on(MIN_PORT)), persons.slice(0, PERSONS)),
    poller: await PendingLogins.open(gateway, logins, await stack.start('twofa'), PENDING),
  };
}

type State = Awaited<ReturnType<typeof setup>>;

const enrolPersons = (stack: BenchStack): Promise<ShopPerson[]> =>
  onDatabase(stack.settings.databases.region_eu.app, async (run) => {
    const persons = await addShopPersons(stack, run, 2 * PERSONS);
    await run`
      insert into twofa_enrolment (enrolment_id, company_user_id, service_id, connection_id, person_user_id, share_code, enrolled_at)
      select 'enr_b' || n, ${DEMO.keys.account}, ${DEMO.keys.shop}, 'con_b' || n, 'usr_b' || n, 'B' || n, now()
        from generate_series(0, ${2 * PERSONS - 1}::int) n`;
    return persons;
  });

const callsOf = (url: string, token: string): LoginCalls => ({
  raise: (body) => ({ method: 'POST', url: `${url}/api/service-2fa/challenges`, token, body }),
  approve: (challenge_id, person) => ({
    method: 'POST',
    url: `${url}/api/app/challenges/${challenge_id}/approve`,
    token: person.token,
    body: { gate: 'biometric' },
  }),
  poll: (challenge_id) => ({ method: 'GET', url: `${url}/api/service-2fa/challenges/${challenge_id}`, token }),
});

const floorCallsOf = (url: string): LoginCalls => ({
  raise: (body) => ({ method: 'POST', url: `${url}/challenges`, body }),
  approve: (challenge_id, { user_id }) => ({
    method: 'POST',
    url: `${url}/challenges/${challenge_id}/approve/${user_id}`,
    body: { gate: 'biometric' },
  }),
  poll: (challenge_id) => ({ method: 'GET', url: `${url}/challenges/${challenge_id}` }),
});

const leastCallsOf = (url: string): LoginCalls => ({
  raise: ({ share_code, idempotency_key, context }) => ({
    method: 'POST',
    url: `${url}/raise`,
    body: { person: share_code, key: idempotency_key, context },
  }),
  approve: (challenge_id) => ({ method: 'POST', url: `${url}/approve`, body: { challenge_id } }),
  poll: (challenge_id) => ({ method: 'POST', url: `${url}/poll`, body: { challenge_id } }),
});

/** Measures what the platform adds to the same statements (`floor`). `least` has no home locks, limits, audit or app events. */
export default bench({
  name: 'twofa',
  what:
    'logins raised, approved on the phone and read at a region, against the same SQL by the bare driver behind a bare HTTP server, and ' +
    `against the least SQL that could do it; and what ${PENDING.toLocaleString('en')} pending challenges cost apps/twofa`,
  unit: 'logins or polls/s',
  seconds: 160,
  rounds: 4,
  setup,
  teardown: async ({ stack, buses, logins, ours, floor, least }: State) => {
    await Promise.all([ours, floor, least].map((one) => one.close()));
    await Promise.all([...buses.map((bus) => bus.close()), logins.destroy()]);
    await stack.close();
  },
  contenders: {
    floor: ({ state, seconds }) => state.floor.run({ state, seconds }),
    least: ({ state, seconds }) => state.least.run({ state, seconds }),
    ours: ({ state, seconds }) => state.ours.run({ state, seconds }),
    poller: ({ state, seconds }) => state.poller.run({ state, seconds }),
  },
  bar: [
    { name: 'raise to pending, p50 over the floor', figure: 'raise_p50_ms', of: 'ours', over: 'floor', atMost: 3 },
    { name: 'raise to pending, p99 over the floor', figure: 'raise_p99_ms', of: 'ours', over: 'floor', atMost: 3 },
    { name: 'approve to outcome, p50 over the floor', figure: 'outcome_p50_ms', of: 'ours', over: 'floor', atMost: 3 },
    { name: 'approve to outcome, p99 over the floor', figure: 'outcome_p99_ms', of: 'ours', over: 'floor', atMost: 3 },
    { name: '% of a core for pending challenges', figure: 'core_percent', of: 'poller', atMost: 5 },
  ],
});
