import { setTimeout as sleep } from 'node:timers/promises';
import type { ShardLeases } from '@cds/runtime/resilience/leases';
import { ManualClock } from '@cds/runtime/clock';
import { silentLog } from '@cds/runtime/telemetry';
import type { Channels, Settings } from '../config.ts';
import type { ReconcileService } from '../reconcile/reconcile.service.ts';
import type { ChannelsStore } from './channels.store.ts';
import type { Drains } from './drains.service.ts';
import { FeedHealth } from './feed-health.service.ts';
import { PullWorker } from './pull.worker.ts';

const SERVICES = Array.from({ length: 25 }, (_, nth) => `shop_${nth}`);
const NOTHING = { events: [], more: false, comparing: false };

describe('a start with many channels', () => {
  let begun: string[];
  let answer: () => void;
  let worker: PullWorker;
  beforeEach(async () => {
    begun = [];
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const drains = {
      async drain({ name }: { name: string }) {
        begun.push(name);
        await answered;
        return NOTHING;
      },
    };
    const nothing = async () => undefined;
    worker = new PullWorker(
      Object.fromEntries(SERVICES.map((name) => [name, { mode: 'pull' }])) as Channels,
      { idleMs: 60_000 } as Settings,
      { options: { seconds: 30 }, start: nothing, stop: nothing, held: (name: string) => ({ name }) } as unknown as ShardLeases,
      { ensure: nothing, comparing: async () => [] } as unknown as ChannelsStore,
      drains as unknown as Drains,
      {} as ReconcileService,
      new FeedHealth(new ManualClock()),
      silentLog,
    );
    await worker.onApplicationBootstrap();
  });
  afterEach(async () => {
    answer();
    await worker.beforeApplicationShutdown();
  });

  it('drains ten at once, and the next when those are through', async () => {
    expect(begun).toEqual(SERVICES.slice(0, 10));

    answer();
    while (new Set(begun).size < SERVICES.length) await sleep(1);
  });

  it('does not wait for those whose drain takes long', async () => {
    while (begun.length < SERVICES.length) await sleep(5);

    expect(begun).toEqual(SERVICES);
  });

  it('begins none any more when it ends', async () => {
    const ending = worker.beforeApplicationShutdown();
    answer();
    await ending;

    expect(begun).toHaveLength(10);
  });
});
