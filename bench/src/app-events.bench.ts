import { setTimeout as pause } from 'node:timers/promises';
import { DEMO, regionUrl } from '@codase/stack';
import { Agent, request } from 'undici';
import { Phones } from './app-events/phones.ts';
import { BenchStack } from './harness/bench-stack.ts';
import { bench, type Contender, type Sample } from './harness/bench.ts';
import { onDatabase, type RunStatement } from './harness/database.ts';
import { ServerProcess } from './harness/server-process.ts';
import { addPhoneOwners, type ShopPerson } from './harness/shop-persons.ts';

const PHONES = Number(process.env['CODASE_BENCH_PHONES'] ?? 1000);
const RAISES_PER_SECOND = 50;
const [PORT, BARE_PORT] = [14_800, 14_899];
const IDLE_SECONDS = 5;
const LOST_MS = 10_000;
const CHALLENGE_LIMITS = { pending: { per_service: 1e6, per_person: 1e6 }, rate: { per_minute: 1e6, per_hour: 1e6 } };

/** A server with connected phones, and a function that raises a challenge there. */
interface Measured {
  server: ServerProcess;
  phones: Phones;
  raise(share_code: string, context: string): Promise<void>;
  figures: Readonly<Record<string, number>>;
}

type Persons = readonly Pick<ShopPerson, 'user_id' | 'share_code'>[];

async function setup() {
  const stack = await BenchStack.open({ durable: true, port: PORT });
  const { owner } = stack.settings.databases.region_eu;
  const persons = await onDatabase(owner, async (run) => {
    await run`create table bare_card (id bigint generated always as identity primary key, person text, context text)`;
    return enrolAll(run);
  });
  const agent = new Agent({ connections: 20 });
  return { stack, agent, persons, ours: await startOurs(stack, agent, persons), floor: await startBare(owner, agent, persons) };
}
type State = Awaited<ReturnType<typeof setup>>;

/** Adds persons whose home is here, who are connected to the demo's service and approve its logins. */
async function enrolAll(run: RunStatement): Promise<Persons> {
  const persons = await addPhoneOwners(run, PHONES);
  await run`
    with service as (select service_id, company_user_id from service where service_id = 'ser_demo_shop'),
    connected as (
      insert into connection (connection_id, company_user_id, service_id, customer_user_id, customer_type, display_name, share_code,
                              public_key, connected_at)
      select 'con_' || user_id, company_user_id, service_id, user_id, 'person', 'Phone', p.share_code, '', now()
        from service, json_to_recordset(${JSON.stringify(persons)}) as p (user_id text, share_code text)
      returning *)
    insert into twofa_enrolment (enrolment_id, company_user_id, service_id, connection_id, person_user_id, share_code, enrolled_at)
    select 'enr_' || customer_user_id, company_user_id, service_id, connection_id, customer_user_id, share_code, now() from connected`;
  return persons;
}

async function startOurs(stack: BenchStack, agent: Agent, persons: Persons): Promise<Measured> {
  await stack.start('front-door');
  const own = { MAX_CONNECTIONS_PER_ADDRESS: String(PHONES * 2), CHALLENGE_LIMITS: JSON.stringify(CHALLENGE_LIMITS) };
  const server = await stack.start('region-eu', {}, own);
  const url = regionUrl(stack.settings.ports, 'eu');
  const streams = persons.map(async ({ user_id }) => ({
    url: `${url}/api/app/events`,
    headers: { authorization: `Bearer ${await stack.mint('app_person', user_id)}` },
  }));
  const authorization = `Bearer ${await stack.mint(DEMO.client_id, DEMO.client_id)}`;
  const raise = (share_code: string, context: string) =>
    post(agent, `${url}/api/service-2fa/challenges`, { share_code, context, idempotency_key: context }, { authorization });
  return measured(server, await Promise.all(streams), raise);
}

async function startBare(databaseUrl: string, agent: Agent, persons: Persons): Promise<Measured> {
  const entry = new URL('app-events/bare-streams.js', import.meta.url);
  const server = await ServerProcess.start(entry, { PORT: String(BARE_PORT), DATABASE_URL: databaseUrl });
  const url = `http://127.0.0.1:${BARE_PORT}`;
  const streams = persons.map(({ share_code }) => ({ url: `${url}/?person=${share_code}` }));
  return measured(server, streams, (share_code, context) => post(agent, url, { share_code, context }, {}));
}

/** Connects the phones and measures what their idle streams cost. */
async function measured(server: ServerProcess, streams: Parameters<typeof Phones.connect>[0], raise: Measured['raise']): Promise<Measured> {
  const before = server.residentMegabytes;
  const phones = await Phones.connect(streams);
  await pause(1000);
  const [resident, cpu] = [server.residentMegabytes, server.cpuMicroseconds];
  await pause(IDLE_SECONDS * 1000);
  const idle_cpu_percent = (server.cpuMicroseconds - cpu) / IDLE_SECONDS / 10_000;
  return {
    server,
    phones,
    raise,
    figures: { resident_mb: resident, kb_per_stream: ((resident - before) * 1024) / PHONES, idle_cpu_percent },
  };
}

async function post(dispatcher: Agent, url: string, body: object, headers: Record<string, string>): Promise<void> {
  const sent = { method: 'POST' as const, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
  const answer = await request(url, { ...sent, dispatcher });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`a raise was answered ${answer.statusCode}: ${text}`);
}

let raises = 0;

/** Raises challenges at a constant rate, without waiting for earlier ones. A latency is the time from the call to the card on the phone. */
const raising =
  (of: (state: State) => Measured): Contender<State> =>
  async ({ state, seconds }): Promise<Sample> => {
    const { server, phones, raise, figures } = of(state);
    const [start, cpu] = [performance.now(), server.cpuMicroseconds];
    const arrivals: Promise<number | undefined>[] = [];
    for (let nth = 0; nth < seconds * RAISES_PER_SECOND; nth += 1) {
      await pause(start + (nth * 1000) / RAISES_PER_SECOND - performance.now());
      const { share_code } = state.persons[(raises * 7) % PHONES]!;
      const context = `raise-${(raises += 1)}`;
      const [at, card] = [performance.now(), phones.card(context)];
      const arrived = raise(share_code, context).then(() => card.then(() => performance.now() - at));
      arrivals.push(Promise.race([arrived, pause(LOST_MS, undefined, { ref: false })]));
    }
    const took = (performance.now() - start) / 1000;
    const latencies = (await Promise.all(arrivals)).filter((ms) => ms !== undefined);
    const cpu_percent = (server.cpuMicroseconds - cpu) / took / 10_000;
    const lost = arrivals.length - latencies.length;
    return { operations: latencies.length, seconds: took, latencies, figures: { ...figures, cpu_percent, lost } };
  };

export default bench({
  name: 'app-events',
  what:
    `${RAISES_PER_SECOND} challenges raised a second while ${PHONES.toLocaleString('en')} phones hold streams on one region process: ` +
    'from the call to the card on the phone, against bare HTTP, SQL and notifications',
  unit: 'cards/s',
  rounds: 3,
  seconds: 80,
  setup,
  teardown: async ({ stack, agent, ours, floor }) => {
    ours.phones.close();
    floor.phones.close();
    await agent.destroy();
    await floor.server.stop();
    await stack.close();
  },
  contenders: { floor: raising(({ floor }) => floor), ours: raising(({ ours }) => ours) },
  bar: [
    { name: 'p99 from the raise to the phone, ms', figure: 'p99_ms', atMost: 100, everyRound: true },
    { name: 'cards that did not arrive', figure: 'lost', atMost: 0, everyRound: true },
    { name: 'p50 over bare HTTP and SQL', figure: 'p50_ms', over: 'floor', atMost: 4 },
  ],
});
