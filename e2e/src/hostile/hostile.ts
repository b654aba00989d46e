import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { appDocuments, companyData, contactData, discovery, OPERATOR, serviceClient, services, tokens } from '@codase/contracts';
import { startPostgres, type NatsServer } from '@codase/servers';
import { World, type Servers } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { Cleanup } from '../soak/cleanup.ts';
import { LONG_ANSWERS, TARGET_NAMES, type TargetName } from './assaults.ts';
import { Attackers, endChild, startChild, type Orders, type Report } from './attackers.ts';
import { GoodCallers, type Call, type Latencies } from './good-callers.ts';
import { ProcessMemory, type Memory } from './process-memory.ts';

export interface HostileOptions {
  /** The program for the run's own servers, used unless `servers` gives those of a test run. */
  nats: NatsServer;
  servers?: Servers;
  /** How long strangers attack. Before that, good callers are measured for a third of this time, half a minute at most. */
  seconds: number;
  /** Whether good callers are also measured while the same strangers attack an idle server on this machine. */
  measuresMachine: boolean;
  strength: number;
  signal?: AbortSignal | undefined;
  progress?: ((line: string) => void) | undefined;
}

interface Phase {
  calls: number;
  p50_ms: number;
  p99_ms: number;
  p99_ms_of: Record<string, number>;
}

export interface HostileResult {
  memory: Record<string, Memory>;
  before: Phase;
  /** The phase in which the same strangers attack an idle server, which shows what the machine itself lacks for both. */
  machine?: Phase;
  during: Phase;
  failed: Record<string, number>;
  /** The connections that strangers tried, how long half a request was kept open, and the statuses that they got. */
  strangers: Report;
}

/** The most that a process may grow: what strangers may make it hold, up to four times while it is processed, and garbage. */
const MAX_GROWTH_MB = 300;
/** How much slower good callers may become, at the 99th percentile. */
const MAX_SLOWDOWN = 3;
/** The longest time that half a request may be kept open: the limit is 10 s, and it is checked every second. */
const LONGEST_HALF_MS = 15_000;

const UNITS = ['front-door', 'region-eu', 'gateway', 'feed-consumer'] as const;
const CHECK_MS = 500;
const PROGRESS_MS = 3000;
/** The pause between two calls of a good caller, which stays far below its rate limit. */
const CALL_EVERY_MS = 150;
const TOKEN_EVERY_MS = 2500;
const WRITE_EVERY_MS = 400;

/** Runs a whole stack while strangers from many addresses attack every port and good callers work. */
export async function hostile(options: HostileOptions): Promise<HostileResult> {
  const { seconds, strength, signal, progress = () => {} } = options;
  const cleanup = new Cleanup();
  try {
    progress('starting');
    const world = await openWorld(options, cleanup);
    const good = new GoodCallers(await goodCalls(world));
    cleanup.push(() => good.end());
    const memory = new ProcessMemory(Object.fromEntries(UNITS.map((unit) => [unit, world.pidOf(unit)])));
    const timer = setInterval(() => void memory.measure(), CHECK_MS);
    cleanup.push(() => clearInterval(timer));

    await warmUp(world, Math.min(2000, (seconds * 1000) / 5));
    const shortMs = Math.min(30_000, (seconds * 1000) / 3);
    const measure = async (ms: number) => {
      good.nextPhase();
      await pause(ms, undefined, { signal });
      return phase(good.nextPhase());
    };
    progress('good callers work alone');
    const before = await measure(shortMs);
    const orders = { ...(await ordersFor(world)), strength };
    const machine = options.measuresMachine ? await whileElsewhere(orders, progress, () => measure(shortMs)) : undefined;

    memory.restart();
    await memory.measure();
    const attackers = await Attackers.begin(orders);
    cleanup.push(() => attackers.end());
    const startedAt = performance.now();
    const tick = setInterval(() => {
      const { tried, left_out, open, statuses } = attackers.report;
      const p99 = Math.round(good.latencies.quantile(0.99));
      const peaks = Object.entries(memory.seen).map(([name, { peak_mb }]) => `${name} ${peak_mb} MB`);
      const passed = Math.round((performance.now() - startedAt) / 1000);
      const tries = `${tried} tried, ${left_out} left out, ${open} open`;
      progress(`${passed} s: ${tries}, good p99 ${p99} ms, ${peaks.join(', ')}, ${JSON.stringify(statuses)}`);
    }, PROGRESS_MS);
    cleanup.push(() => clearInterval(tick));
    const during = await measure(seconds * 1000);
    await memory.measure();
    return { memory: { ...memory.seen }, before, ...(machine && { machine }), during, failed: good.failed, strangers: attackers.report };
  } finally {
    await cleanup.close();
  }
}

/** Warms the stack up: programs are slower at first, and generate the long documents on the first request. */
async function warmUp({ frontDoorUrl }: World, ms: number): Promise<void> {
  for (const path of LONG_ANSWERS) await (await fetch(`${frontDoorUrl}${path}`)).arrayBuffer();
  await pause(ms);
}

/** Works while strangers attack an idle server, which shows what good callers lose only because both share this machine's CPU. */
async function whileElsewhere<T>(orders: Orders, progress: (line: string) => void, work: () => Promise<T>): Promise<T> {
  const idle = await startChild('idle-server');
  const ports = [idle.first as number];
  const targets = Object.fromEntries(TARGET_NAMES.map((name) => [name, ports] as const)) as Record<TargetName, number[]>;
  const attackers = await Attackers.begin({ ...orders, targets });
  try {
    progress('the strangers attack an idle server, good callers work');
    return await work();
  } finally {
    await attackers.end();
    await endChild(idle.child);
  }
}

/** Returns what is wrong, in sentences. Whether good callers are slower depends on the machine too, so this is listed apart. */
export function faultsOf({ memory, before, machine, during, failed, strangers }: HostileResult): { always: string[]; slower: string[] } {
  const grown = Object.entries(memory).filter(([, { before_mb, peak_mb }]) => peak_mb - before_mb > MAX_GROWTH_MB);
  const inside = Object.keys({ ...strangers.statuses, ...failed }).filter((what) => what.startsWith('500'));
  const base = Math.max(before.p99_ms, machine?.p99_ms ?? 0);
  const isSlow = during.p99_ms > MAX_SLOWDOWN * base;
  const isTooLong = strangers.longest_half_ms > LONGEST_HALF_MS;
  return {
    always: [
      ...grown.map(([name, { before_mb, peak_mb }]) => `${name} grew from ${before_mb} to ${peak_mb} MB`),
      ...inside.map((what) => `answers with ${what}`),
      ...Object.entries(failed).map(([what, count]) => `${count} calls of good callers failed: ${what}`),
    ],
    slower: [
      ...(isSlow ? [`the p99 of good callers rose from ${base} to ${during.p99_ms} ms`] : []),
      ...(isTooLong ? [`half a request was kept open for ${strangers.longest_half_ms} ms`] : []),
    ],
  };
}

const phase = (latencies: Latencies): Phase => ({
  calls: latencies.count,
  p50_ms: rounded(latencies.quantile(0.5)),
  p99_ms: rounded(latencies.quantile(0.99)),
  p99_ms_of: Object.fromEntries(latencies.names.map((name) => [name, rounded(latencies.quantile(0.99, name))])),
});
const rounded = (ms: number) => Math.round(ms * 10) / 10;

async function openWorld({ nats, servers }: HostileOptions, cleanup: Cleanup): Promise<World> {
  const channels = {
    shop: { mode: 'webhook', webhook_id: 'whk_hostile', auth: { auth_type: 'hmac', hmac_secret: 'known to nobody here' } },
  };
  const world = await World.open({
    processes: 'many',
    units: UNITS,
    limits: 'real',
    traces: false,
    channels,
    servers: servers ?? (await ownServers(nats, cleanup)),
  });
  cleanup.push(() => world.close());
  return world;
}

async function ownServers(nats: NatsServer, cleanup: Cleanup): Promise<Servers> {
  const postgres = await startPostgres({ durable: false, password: randomBytes(12).toString('hex') });
  cleanup.push(() => postgres.stop());
  return { postgresUrl: postgres.url, nats, durable: false };
}

/** Returns the calls of good callers: reads and writes with a token, token requests, and calls that need no token. */
async function goodCalls(world: World): Promise<Call[]> {
  const { shop, acme, stranger } = world;
  const ana = world.person('ANA');
  const { client_id, client_secret } = shop;
  for (const holder of [shop, acme, ana]) await holder.getsToken();
  let edited = 0;
  const edit = () => ana.asks(contactData.putContactData, { params: { slug: 'email' }, body: { value: `ana${++edited}@example.org` } });
  const connection = await ana.connections.connects('ACME/SHOP');
  const answer = await shop.sealsFor(ana, 'It is in stock');
  const grant = { grant_type: 'client_credentials', client_id, client_secret } as const;
  const often = {
    whoami: () => shop.asks(companyData.whoami, {}),
    'list (company)': () => acme.asks(contactData.listContactData, {}),
    'list (person)': () => ana.asks(contactData.listContactData, {}),
    edit,
    health: () => stranger.asks(discovery.health, {}),
  };
  return [
    ...Object.entries(often).map(([name, make]) => ({ name, make, everyMs: CALL_EVERY_MS })),
    {
      name: 'message',
      make: () => shop.messages.sends(connection.id, answer),
      everyMs: WRITE_EVERY_MS,
    },
    { name: 'documents (person)', make: () => ana.asks(appDocuments.listReceivedDocuments, { query: {} }), everyMs: WRITE_EVERY_MS },
    { name: 'token', make: () => shop.asks(tokens.issueToken, { body: grant }), everyMs: TOKEN_EVERY_MS },
  ];
}

async function ordersFor(world: World): Promise<Omit<Orders, 'strength'>> {
  const port = (url: string) => Number(new URL(url).port);
  return {
    targets: {
      'front-door': [port(world.frontDoorUrl)],
      region: [port(world.regionUrl('eu'))],
      gateway: [port(world.gatewayHttp.url)],
      webhooks: [port(world.hookUrl('shop'))],
      ops: UNITS.map((unit) => port(world.opsUrl(unit))),
    },
    greedy: await greedyCompany(world),
    victim: { email: world.person('CHIARA').email, redirect_uri: `${world.frontDoorUrl}/app/signed-in` },
  };
}

/** Signs up a separate company with a service, whose requests are counted as its own. */
async function greedyCompany(world: World): Promise<{ token: string }> {
  const company = await world.signsUp({ type: 'company', region: 'eu' });
  await (await world.operator('platform')).request(OPERATOR.setLevel, {}, { user_id: company.user_id, level: 'business' });
  const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
  const key = { public_key, encrypted_private_key: { ...encrypted_private_key, iter: 100_000 as const } };
  const { id } = await company.asks(services.createService, { body: { name: 'Greedy', admin_email: 'admin@greedy.example', ...key } });
  const { client_id } = await company.asks(serviceClient.createServiceClient, { params: { id }, body: {} });
  return { token: await world.mints({ client_id, sub: client_id }) };
}
