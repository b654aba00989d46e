import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { databaseUrl } from '@cds/servers';
import { DEMO, demoActors } from '@cds/stack';
import pg from 'pg';
import { Pool } from 'undici';
import { BenchStack } from './harness/bench-stack.ts';
import { bench, type Contender } from './harness/bench.ts';

const PORT = 14_700;
const PEER_PORT = 14_799;
/** Logins at once. */
const AT_ONCE = 4;
/** Persons who are asked in turns: nobody has a thousand cards. */
const PERSONS = 500;
const OUT_OF_THE_WAY = { burst: 1e9, per_second: 1e9 };
const CHALLENGE_LIMITS = {
  lifetime_seconds: 3600,
  pending: { per_service: 1e6, per_person: 1e6 },
  rate: { per_minute: 1e6, per_hour: 1e6 },
};

type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Record<string, string>>;

async function setup() {
  const limits = Object.fromEntries(['token', 'connections', 'changes', 'data', 'challenge_poll'].map((name) => [name, OUT_OF_THE_WAY]));
  const stack = await BenchStack.open({ durable: false, port: PORT, limits });
  await stack.start('front-door');
  await stack.start('region-eu', {}, { CHALLENGE_LIMITS: JSON.stringify(CHALLENGE_LIMITS) });
  const { settings } = stack;
  const actors = await demoActors(settings.ports, settings.secrets);
  const [ana, shop] = [actors.person('ANA'), actors.backend(DEMO.client_id)];
  await ana.connections.connects('ACME/SHOP');
  await ana.phone.enrols(shop);
  const db = new pg.Client(databaseUrl(stack.postgres.url, { name: new URL(settings.databases.region_eu.app).pathname.slice(1) }));
  await db.connect();
  await enrolMany(db);
  await db.query('create database bare');
  const entry = fileURLToPath(new URL('twofa-peer.js', import.meta.url));
  await stack.startOther(entry, { PORT: String(PEER_PORT), DATABASE_URL: databaseUrl(stack.postgres.url, { name: 'bare' }) });
  const [asShop, asAna] = [await shop.getsToken(), await ana.signsIn()];
  const [region, bare] = [
    new Pool(asShop.api_url!, { connections: AT_ONCE }),
    new Pool(`http://127.0.0.1:${PEER_PORT}`, { connections: AT_ONCE }),
  ];
  return {
    stack,
    db,
    shop: callsOn(region, asShop.access_token),
    ana: callsOn(region, asAna.access_token),
    bare: callsOn(bare),
    close: () => Promise.all([region.close(), bare.close()]),
  };
}

type State = Awaited<ReturnType<typeof setup>>;

/** As if they had connected and enrolled. */
async function enrolMany(db: pg.Client): Promise<void> {
  await db.query(
    `insert into profile (user_id, type, display_name, language, share_code, public_key, created_at)
     select 'usr_' || n, 'person', 'P', 'en', 'CODE' || n, 'MIIB', now() from generate_series(1, $1::int) n`,
    [PERSONS],
  );
  const of = [DEMO.keys.shop, PERSONS];
  await db.query(
    `insert into connection (connection_id, company_user_id, service_id, customer_user_id, customer_type, display_name, share_code,
                             public_key, connected_at)
     select 'conn_' || n, s.company_user_id, s.service_id, 'usr_' || n, 'person', 'P', 'CODE' || n, 'MIIB', now()
       from service s, generate_series(1, $2::int) n where s.service_id = $1`,
    of,
  );
  await db.query(
    `insert into twofa_enrolment (enrolment_id, company_user_id, service_id, connection_id, person_user_id, share_code, enrolled_at)
     select 'enr_' || n, s.company_user_id, s.service_id, 'conn_' || n, 'usr_' || n, 'CODE' || n, now()
       from service s, generate_series(1, $2::int) n where s.service_id = $1`,
    of,
  );
}

const callsOn =
  (pool: Pool, token = ''): Call =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const answer = await pool.request({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
    const result = (await answer.body.json()) as Record<string, string>;
    if (answer.statusCode !== 200) throw new Error(`The server answered ${answer.statusCode} ${JSON.stringify(result)}`);
    return result;
  };

/** Some logins at once, one after the other each; what `prepare` does is not measured. */
const logins =
  <T>(prepare: (state: State, nth: number) => Promise<T>, login: (state: State, prepared: T) => Promise<unknown>): Contender<State> =>
  async ({ state, seconds }) => {
    const latencies: number[] = [];
    const until = performance.now() + seconds * 1000;
    const one = async () => {
      while (performance.now() < until) {
        const prepared = await prepare(state, latencies.length);
        const start = performance.now();
        await login(state, prepared);
        latencies.push(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    return { operations: latencies.length, latencies };
  };

const CONTEXT = 'Sign-in to Acme Shop from Berlin';
const newLogin = async (_: State, nth: number) => ({ person: (nth % PERSONS) + 1, key: randomUUID() });
const raise = ({ shop }: State, share_code: string, key: string) =>
  shop('POST', '/api/service-2fa/challenges', { share_code, idempotency_key: key, context: CONTEXT });

async function expectApproved(polled: Promise<Record<string, string>>): Promise<void> {
  const { status } = await polled;
  if (status !== 'approved') throw new Error(`The outcome is ${status}`);
}

export default bench({
  name: 'twofa',
  what: 'raising a challenge, and from the approval to its outcome, against bare HTTP and the SQL of the same calls',
  unit: 'logins/s',
  seconds: 40,
  setup,
  teardown: async ({ stack, db, close }) => {
    await close();
    await db.end();
    await stack.close();
  },
  contenders: {
    raise: logins(newLogin, (state, { person, key }) => raise(state, `CODE${person}`, key)),
    'bare raise': logins(newLogin, ({ bare }, { person, key }) =>
      bare('POST', '/raise', { person: `usr_${person}`, key, context: CONTEXT }),
    ),
    outcome: logins(
      (state) => raise(state, 'ANA', randomUUID()),
      async ({ ana, shop }, { challenge_id }) => {
        await ana('POST', `/api/app/challenges/${challenge_id}/approve`, { gate: 'biometric' });
        await expectApproved(shop('GET', `/api/service-2fa/challenges/${challenge_id}`));
      },
    ),
    'bare outcome': logins(
      ({ bare }) => bare('POST', '/raise', { person: 'ANA', key: randomUUID(), context: CONTEXT }),
      async ({ bare }, { challenge_id }) => {
        await bare('POST', '/approve', { challenge_id });
        await expectApproved(bare('POST', '/poll', { challenge_id }));
      },
    ),
  },
  bar: [
    { name: 'raise to pending, p50 over bare', figure: 'p50_ms', of: 'raise', over: 'bare raise', atMost: 3 },
    { name: 'raise to pending, p99 over bare', figure: 'p99_ms', of: 'raise', over: 'bare raise', atMost: 3 },
    { name: 'approve to outcome, p50 over bare', figure: 'p50_ms', of: 'outcome', over: 'bare outcome', atMost: 3 },
    { name: 'approve to outcome, p99 over bare', figure: 'p99_ms', of: 'outcome', over: 'bare outcome', atMost: 3 },
  ],
});
