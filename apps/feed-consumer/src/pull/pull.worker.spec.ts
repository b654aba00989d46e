import { setTimeout as sleep } from 'node:timers/promises';
import type { ShardLeases } from '@codase/runtime/resilience/leases';
import { ManualClock } from '@codase/runtime/clock';
import { silentLog } from '@codase/runtime/telemetry';
import type { Channels, Settings } from '../config.ts';
import type { ReconcileService } from '../reconcile/reconcile.service.ts';
import type { Spool } from '../spool/spool.store.ts';
import type { ChannelsStore } from './channels.store.ts';
import type { Drains } from './drains.service.ts';
import { FeedHealth } from './feed-health.service.ts';
import { PullWorker } from './pull.worker.ts';

const SERVICES = Array.from({ length: 25 }, (_, nth) => `shop_${nth}`);
const NOTHING = { events: [], more: false, comparing: false };

/** A worker of these services. The test plays its drains, and says whether stored events wait. */
function workerOf(
  services: readonly string[],
  drain: (lease: { name: string }) => Promise<object>,
  isWaiting = async () => false,
): PullWorker {
  const nothing = async () => undefined;
  return new PullWorker(
    Object.fromEntries(services.map((name) => [name, { mode: 'pull' }])) as Channels,
    { idleMs: 60_000 } as Settings,
    { options: { seconds: 30 }, start: nothing, stop: nothing, held: (name: string) => ({ name }) } as unknown as ShardLeases,
    { ensure: nothing, comparing: async () => [] } as unknown as ChannelsStore,
    { drain } as unknown as Drains,
    { isWaiting } as unknown as Spool,
    {} as ReconcileService,
    new FeedHealth(new ManualClock()),
    silentLog,
  );
}

describe('pull worker that starts with many channels', () => {
  let begun: string[];
  let answer: () => void;
  let worker: PullWorker;
  beforeEach(async () => {
    begun = [];
    const answered = new Promise<void>((resolve) => (answer = resolve));
    worker = workerOf(SERVICES, async ({ name }) => {
      begun.push(name);
      await answered;
      return NOTHING;
    });
    await worker.onApplicationBootstrap();
  });
  afterEach(async () => {
    answer();
    await worker.beforeApplicationShutdown();
  });

  it('drains ten channels at once, and the next ones when those are done', async () => {
    expect(begun).toEqual(SERVICES.slice(0, 10));

    answer();
    while (new Set(begun).size < SERVICES.length) await sleep(1);
  });

  it('does not wait for channels whose drain takes long', async () => {
    while (begun.length < SERVICES.length) await sleep(5);

    expect(begun).toEqual(SERVICES);
  });

  it('starts no new drain during shutdown', async () => {
    const ending = worker.beforeApplicationShutdown();
    answer();
    await ending;

    expect(begun).toHaveLength(10);
  });
});

describe('pull worker with a service that has more events', () => {
  it('drains the service again at once, but not while enough of its events wait to be published', async () => {
    const seen = { drains: 0, checks: 0, isEnough: true };
    const drain = async () => {
      seen.drains += 1;
      return { ...NOTHING, more: true };
    };
    const worker = workerOf(['shop'], drain, async () => {
      seen.checks += 1;
      return seen.isEnough;
    });
    await worker.onApplicationBootstrap();
    while (seen.checks < 3) await sleep(5);
    expect(seen.drains).toBe(1);

    seen.isEnough = false;
    while (seen.drains < 5) await sleep(5);

    await worker.beforeApplicationShutdown();
  });

  it('drains the service once a second while its events wait to be published', async () => {
    const seen = { drains: 0 };
    const drain = async () => {
      seen.drains += 1;
      return { ...NOTHING, more: true };
    };
    const [worker, start] = [workerOf(['shop'], drain, async () => true), performance.now()];
    await worker.onApplicationBootstrap();
    while (seen.drains < 2) await sleep(5);

    expect(performance.now() - start).toBeGreaterThan(950);
    await worker.beforeApplicationShutdown();
  });
});
