import { randomUUID } from 'node:crypto';
import type { Clock } from '@codase/runtime/clock';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { ShardLeases } from '@codase/runtime/resilience/leases';
import { count, read, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { FEED_NOTIFICATION, WEBHOOK_NOTIFICATION, type Slots } from '../../feed/index.ts';
import { LEAVING_NOTIFICATION } from '../webhooks.store.ts';
import { BacklogsStore, type Tended } from './backlogs.store.ts';
import { DeliveriesStore } from './deliveries.store.ts';
import { Dispatcher } from './dispatcher.service.ts';
import { NotificationListener } from '../../../kit/outbox/notification-listener.service.ts';
import type { DeliveryResult } from './pending-delivery.ts';
import { DEADLINE_MS, type Outgoing } from './outgoing.service.ts';
import { DELIVERY_LEASES, SHARD_NAMES } from './shards.ts';
import { TestDeliveries } from './test-deliveries.service.ts';
import { METRICS } from '../metrics.ts';

/** A lease must outlive a delivery: of a process that is not heard of any more nobody knows whether its deliveries have ended. */
const LEASE_SECONDS = DEADLINE_MS / 1000 + 5;
const EVERY_MS = { renew: 2000, probe: 1000, check: 5000, settle: 2000, tend: 5000, survey: 60_000 } as const;

/** A region whose webhooks this process delivers. */
export interface DeliveryRegion {
  region: string;
  db: DataSource;
  slots: Slots;
}

interface RegionDeliveryParts extends DeliveryRegion {
  outgoing: Outgoing;
  clock: Clock;
  log: Log;
  /** Whether alerts go out as mail too. */
  byMail?: boolean;
  isPaused(): boolean;
}

/** Keeps the deliveries of one region going: leases, notifications of the database, and regular looks for work. */
export class RegionDelivery {
  private readonly store: DeliveriesStore;
  private readonly backlogs: BacklogsStore;
  private readonly leases: ShardLeases;
  private readonly dispatcher: Dispatcher;
  private readonly tests: TestDeliveries;
  private readonly listener: NotificationListener;
  private repeated: Repeated[] = [];

  constructor(private readonly parts: RegionDeliveryParts) {
    this.store = new DeliveriesStore(parts.db);
    this.backlogs = new BacklogsStore(parts.db, parts.byMail);
    const lease = { kind: DELIVERY_LEASES, names: SHARD_NAMES, owner: randomUUID(), seconds: LEASE_SECONDS };
    this.leases = new ShardLeases(parts.db, parts.log, lease);
    this.dispatcher = new Dispatcher({ ...parts, store: this.store, leases: this.leases });
    this.tests = new TestDeliveries({ ...parts, store: this.store, dispatcher: this.dispatcher });
    this.listener = new NotificationListener(parts.db, {
      [FEED_NOTIFICATION]: (webhook_id) => this.dispatcher.wake(webhook_id),
      [WEBHOOK_NOTIFICATION]: (webhook_id) => this.dispatcher.renew(webhook_id),
      [LEAVING_NOTIFICATION]: () =>
        void this.settleLeaving().catch((error: unknown) =>
          parts.log.warn('deliveries of a company that leaves are settled a little later', { 'codase.region': parts.region, error }),
        ),
      ...this.tests.listeners,
    });
  }

  async start(): Promise<void> {
    await this.renew();
    const again = (name: keyof typeof EVERY_MS, what: string, work: () => Promise<unknown>) =>
      repeat(work, {
        name: `webhook_${name}`,
        pauseMs: EVERY_MS[name],
        onFailure: (error) => this.parts.log.error(`${what} failed and is tried again`, { 'codase.region': this.parts.region, error }),
      });
    this.repeated = [
      again('renew', 'renewing leases', () => this.renew()),
      again('check', 'checking for events', () => this.check()),
      again('settle', 'settling the deliveries of companies that leave', () => this.settleLeaving()),
      again('probe', 'looking for endpoints to probe', () => this.probe()),
      again('tend', 'looking for old backlogs', () => this.tend('not running')),
      again('survey', 'looking at all backlogs', () => this.survey()),
    ];
  }

  async close(): Promise<void> {
    await Promise.all(this.repeated.map((one) => one.stop()));
    await this.dispatcher.leave();
    await this.listener.close();
    await this.leases.stop();
  }

  /** Sends a made-up event to a webhook, and returns what came back. @gap D1-4.7 */
  test(webhook_id: string): Promise<DeliveryResult> {
    return this.tests.request(webhook_id);
  }

  private get shards(): number[] {
    return this.leases.names.map(Number);
  }

  private async renew(): Promise<void> {
    const fresh = await this.leases.renew();
    this.dispatcher.dropOthers();
    const hasMissed = await this.listener.listen();
    if (hasMissed) this.dispatcher.renewAll();
    if (fresh.length > 0 || hasMissed) await this.check();
  }

  private async check(): Promise<void> {
    if (this.parts.isPaused()) return;
    this.dispatcher.found(await this.store.waiting(this.shards, this.dispatcher.inHand, this.parts.clock.now()));
  }

  /** Waits until the deliveries of each company that leaves have ended, and notes it: its rows are copied only then. @gap D1-5.6 */
  private async settleLeaving(): Promise<void> {
    const leaving = await this.store.unsettled(this.shards);
    await Promise.all(
      leaving.map(async ({ company_user_id, webhook_ids }) => {
        await this.dispatcher.settle(webhook_ids);
        await this.store.settled(company_user_id, webhook_ids);
      }),
    );
  }

  private async probe(): Promise<void> {
    if (this.parts.isPaused()) return;
    this.dispatcher.found(await this.store.beginProbes(this.shards, this.parts.clock.now()));
  }

  private async tend(whose: Tended): Promise<void> {
    if (this.parts.isPaused()) return;
    const { stale, purged } = await this.backlogs.tend(this.shards, this.parts.clock.now(), whose);
    if (stale) count(METRICS.webhooksStale, { 'codase.region': this.parts.region }, stale);
    if (purged) count(METRICS.eventsPurged, { 'codase.region': this.parts.region }, purged);
  }

  private async survey(): Promise<void> {
    read(METRICS.signingKeys, this.parts.outgoing.signingKeys, { 'codase.region': this.parts.region });
    read(METRICS.backlogAge, await this.backlogs.oldestAge(this.shards, this.parts.clock.now()), { 'codase.region': this.parts.region });
    await this.tend('all');
  }
}
