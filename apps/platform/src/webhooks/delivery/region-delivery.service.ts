import { randomUUID } from 'node:crypto';
import type { Clock } from '@cds/runtime/clock';
import { count, read, type Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { FEED_HINT, type Slots } from '../../feed/index.ts';
import { WEBHOOK_HINT } from '../webhooks.store.ts';
import { DeliveriesStore } from './deliveries.store.ts';
import { Dispatcher } from './dispatcher.service.ts';
import { every, type Repeated } from '../../every.ts';
import { HeldLeases } from './held-leases.ts';
import { Hints } from './hints.service.ts';
import { LeasesStore } from './leases.store.ts';
import { DEADLINE_MS, type Outgoing } from './outgoing.service.ts';

/** A lease must outlive a delivery with room to spare; what is handed over may still have one under way. */
const LEASE = { lease: 30, handOver: DEADLINE_MS / 1000 + 1 } as const;
const EVERY_MS = { renew: 5000, probe: 1000, look: 5000, tend: 5000 } as const;

/** A region that is delivered for. */
export interface DeliveryRegion {
  region: string;
  db: DataSource;
  slots: Slots;
}

export interface RegionDeliveryParts extends DeliveryRegion {
  outgoing: Outgoing;
  clock: Clock;
  log: Log;
  isPaused(): boolean;
}

/** Everything that keeps the deliveries of one region going: leases, hints, and a look around from time to time. */
export class RegionDelivery {
  readonly store: DeliveriesStore;
  private readonly leases = new HeldLeases();
  private readonly leasesStore: LeasesStore;
  private readonly dispatcher: Dispatcher;
  private readonly hints: Hints;
  private repeated: Repeated[] = [];

  constructor(private readonly parts: RegionDeliveryParts) {
    this.store = new DeliveriesStore(parts.db);
    this.leasesStore = new LeasesStore(parts.db, randomUUID(), LEASE);
    this.dispatcher = new Dispatcher({ ...parts, store: this.store, leases: this.leases });
    this.hints = new Hints(parts.db, {
      [FEED_HINT]: (webhook_id) => this.dispatcher.wake(webhook_id),
      [WEBHOOK_HINT]: (webhook_id) => this.dispatcher.renew(webhook_id),
    });
  }

  async start(): Promise<void> {
    await this.renew();
    const again = (ms: number, what: string, work: () => Promise<unknown>) =>
      every(ms, work, (error) => this.parts.log.error(`${what} failed and is tried again`, { 'cds.region': this.parts.region, error }));
    this.repeated = [
      again(EVERY_MS.renew, 'renewing leases', () => this.renew()),
      again(EVERY_MS.look, 'looking for events', () => this.look()),
      again(EVERY_MS.probe, 'looking for endpoints to probe', () => this.probe()),
      again(EVERY_MS.tend, 'looking for old backlogs', () => this.tend()),
    ];
  }

  async close(): Promise<void> {
    await Promise.all(this.repeated.map((one) => one.stop()));
    await this.dispatcher.leave();
    this.leases.letGo();
    await this.hints.close();
    await this.leasesStore.leave();
  }

  private async renew(): Promise<void> {
    const askedAt = performance.now();
    const fresh = this.leases.hold(await this.leasesStore.renew(), askedAt, LEASE.lease * 1000);
    const hasMissed = await this.hints.listen();
    if (fresh.length > 0 || hasMissed) await this.look();
  }

  private async look(): Promise<void> {
    if (this.parts.isPaused()) return;
    this.dispatcher.found(await this.store.waiting(this.leases.shards, this.dispatcher.inHand, this.parts.clock.now()));
  }

  private async probe(): Promise<void> {
    if (this.parts.isPaused()) return;
    this.dispatcher.found(await this.store.beginProbes(this.leases.shards, this.parts.clock.now()));
  }

  private async tend(): Promise<void> {
    if (this.parts.isPaused()) return;
    const now = this.parts.clock.now();
    read('backlogAge', await this.store.backlogAge(this.leases.shards, now), { 'cds.region': this.parts.region });
    const { stale, purged } = await this.store.tendBacklogs(this.leases.shards, now);
    if (stale) count('webhooksStale', { 'cds.region': this.parts.region }, stale);
    if (purged) count('eventsPurged', { 'cds.region': this.parts.region }, purged);
  }
}
