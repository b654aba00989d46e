import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { companyData, contactData, discovery, tokens } from '@cds/contracts';
import { startPostgres, type NatsServer } from '@cds/servers';
import { World, type Servers } from '@cds/testing';
import { Cleanup } from '../soak/cleanup.ts';
import { Attackers, type Orders } from './attackers.ts';
import { GoodCallers, type Call } from './good-callers.ts';
import type { Latencies } from './latencies.ts';
import { ProcessMemory, type Memory } from './process-memory.ts';

export interface HostileOptions {
  /** Servers of its own, unless those of a test run are given. */
  nats: NatsServer;
  servers?: Servers;
  /** How long strangers attack. Before that, good callers are measured for a third of it, half a minute at most. */
  seconds: number;
  /** Of what strangers usually do at once, 1. */
  strength: number;
  signal?: AbortSignal | undefined;
  progress?: ((line: string) => void) | undefined;
}

export interface HostileResult {
  memory: Record<string, Memory>;
  before: { calls: number; p50_ms: number; p99_ms: number };
  during: { calls: number; p50_ms: number; p99_ms: number };
  /** Calls of good callers that failed, by status. */
  failed: Record<string, number>;
  /** How many connections strangers tried, and the statuses they were answered. */
  tried: number;
  statuses: Record<string, number>;
}

/** The most that a process may grow: what strangers may hold, four times over while it is worked on, and what a collector lets lie. */
export const MOST_GROWTH_MB = 300;
/** How much slower good callers may become, at the 99th percentile. */
export const MOST_SLOWER = 3;

const UNITS = ['front-door', 'region-eu', 'gateway', 'feed-consumer'] as const;
const LOOK_MS = 500;
const PROGRESS_MS = 3000;
/** The pause between two calls of a good caller: its rate limit is further away. */
const CALL_PAUSE_MS = 150;
const TOKEN_PAUSE_MS = 2500;

/** Strangers from many addresses attack every port of a whole stack while good callers work. */
export async function hostile(options: HostileOptions): Promise<HostileResult> {
  const { seconds, strength, signal, progress = () => {} } = options;
  const cleanup = new Cleanup();
  try {
    progress('starting');
    const world = await openWorld(options, cleanup);
    const good = new GoodCallers(await goodCalls(world));
    cleanup.push(() => good.end());
    const memory = new ProcessMemory(Object.fromEntries(UNITS.map((unit) => [unit, world.pidOf(unit)])));
    const look = setInterval(() => void memory.look(), LOOK_MS);
    cleanup.push(() => clearInterval(look));

    await pause(Math.min(2000, (seconds * 1000) / 5)); // programs are slower at first
    good.nextPhase();
    progress('good callers work alone');
    await pause(Math.min(30_000, (seconds * 1000) / 3), undefined, { signal });
    memory.restart();
    await memory.look();
    const before = phase(good.nextPhase());

    const attackers = await Attackers.begin({ ...(await ordersFor(world)), strength });
    cleanup.push(() => attackers.end());
    const startedAt = performance.now();
    const tick = setInterval(() => {
      const { tried, open, statuses } = attackers.report;
      const p99 = Math.round(good.latencies.quantile(0.99));
      const peaks = Object.entries(memory.seen).map(([name, { peak_mb }]) => `${name} ${peak_mb} MB`);
      const passed = Math.round((performance.now() - startedAt) / 1000);
      progress(`${passed} s: ${tried} tried, ${open} open, good p99 ${p99} ms, ${peaks.join(', ')}, ${JSON.stringify(statuses)}`);
    }, PROGRESS_MS);
    cleanup.push(() => clearInterval(tick));
    await pause(seconds * 1000, undefined, { signal });
    await memory.look();
    const during = phase(good.nextPhase());
    const { tried, statuses } = attackers.report;
    return { memory: { ...memory.seen }, before, during, failed: good.failed, tried, statuses };
  } finally {
    await cleanup.close();
  }
}

/** What does not hold, in sentences; nothing where all is well. Whether good callers are slower depends on the machine too. */
export function faultsOf({ memory, before, during, failed, statuses }: HostileResult): { always: string[]; slower: string[] } {
  const grown = Object.entries(memory).filter(([, { before_mb, peak_mb }]) => peak_mb - before_mb > MOST_GROWTH_MB);
  const inside = Object.keys({ ...statuses, ...failed }).filter((what) => what.startsWith('500'));
  const isSlow = during.p99_ms > MOST_SLOWER * before.p99_ms;
  return {
    always: [
      ...grown.map(([name, { before_mb, peak_mb }]) => `${name} grew from ${before_mb} to ${peak_mb} MB`),
      ...inside.map((what) => `answers with ${what}`),
      ...Object.entries(failed).map(([what, count]) => `${count} calls of good callers failed: ${what}`),
    ],
    slower: isSlow ? [`the p99 of good callers rose from ${before.p99_ms} to ${during.p99_ms} ms`] : [],
  };
}

const phase = (latencies: Latencies) => ({
  calls: latencies.count,
  p50_ms: rounded(latencies.quantile(0.5)),
  p99_ms: rounded(latencies.quantile(0.99)),
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

/** Reads and writes with a token, tokens themselves, and what anyone may ask. */
async function goodCalls(world: World): Promise<Call[]> {
  const { shop, acme, stranger } = world;
  const ana = world.person('ANA');
  const { client_id, client_secret } = shop;
  for (const holder of [shop, acme, ana]) await holder.getsToken();
  let edited = 0;
  const edit = () => ana.asks(contactData.putContactData, { params: { slug: 'email' }, body: { value: `ana${++edited}@example.org` } });
  const grant = { grant_type: 'client_credentials', client_id, client_secret } as const;
  const often = [
    () => shop.asks(companyData.whoami, {}),
    () => acme.asks(contactData.listContactData, {}),
    () => ana.asks(contactData.listContactData, {}),
    edit,
    () => stranger.asks(discovery.health, {}),
  ];
  return [
    ...often.map((make) => ({ make, pauseMs: CALL_PAUSE_MS })),
    { make: () => shop.asks(tokens.issueToken, { body: grant }), pauseMs: TOKEN_PAUSE_MS },
  ];
}

async function ordersFor(world: World): Promise<Omit<Orders, 'strength'>> {
  const port = (url: string) => Number(new URL(url).port);
  return {
    targets: {
      'front-door': [port(world.frontDoorUrl)],
      region: [port(world.regionUrl('eu'))],
      gateway: [port(world.gatewayDoor.url)],
      webhooks: [port(world.hookUrl('shop'))],
      ops: UNITS.map((unit) => port(world.opsUrl(unit))),
    },
    victim: { email: world.person('CHIARA').email, redirect_uri: `${world.frontDoorUrl}/app/signed-in` },
  };
}
