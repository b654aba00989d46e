import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { FEED, PARKED, PARTITIONS } from '@codase/contracts';
import { Bus, Publisher } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { monotonic, repeat, type Repeated } from '@codase/runtime/resilience';
import { ShardLeases } from '@codase/runtime/resilience/leases';
import { count, LOG, read, type Log } from '@codase/runtime/telemetry';
import { SETTINGS, type Settings } from '../config.ts';
import { Spool, type Kind, type Waiting } from '../spool/spool.store.ts';
import { FreshEvents } from './fresh-events.ts';
import { outgoing } from './outgoing.ts';
import { FeedHealth } from '../pull/feed-health.service.ts';
import { METRICS } from '../metrics.ts';

export const SHARD_LEASES = Symbol('shard leases');

/** The largest batch, half of what the server takes at once: events of other services wait until the batch under way is published. */
const BATCH_EVENTS = 250;
const BATCH_BYTES = 8 * 1024 * 1024;
/** How often the worker looks for what other replicas stored. Unreadable messages are not urgent. */
const SWEEP_MS = { events: 250, unreadable: 1000 } satisfies Record<Kind, number>;
const LONGEST_PAUSE_MS = 10_000;
const FORGET_AT_ONCE = 1000;
const FORGET_EVERY_MS = 60_000;
const TO = { events: FEED.pattern, unreadable: PARKED.pattern } satisfies Record<Kind, string>;

/**
 * Publishes stored events in order, with one writer for each shard. An event leaves the spool only when the stream holds it. Unreadable
 * messages go to another stream in a loop of their own, so that events are still published when that stream accepts nothing.
 */
@Injectable()
export class RelayWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** One publisher for each stream, because a publisher remembers whether its stream takes batches. */
  private readonly publishers: Record<Kind, Publisher>;
  private readonly publishMs: number;
  private readonly fresh = new FreshEvents({ most: BATCH_EVENTS, bytes: BATCH_BYTES, everyMs: SWEEP_MS.events });
  private running: Repeated[] = [];
  private forgotAt = -Infinity;

  constructor(
    @Inject(SHARD_LEASES) private readonly leases: ShardLeases,
    private readonly spool: Spool,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    bus: Bus,
    @Inject(LOG) private readonly log: Log,
    private readonly health: FeedHealth,
  ) {
    this.publishMs = Math.min(5000, (leases.options.seconds * 1000) / 3);
    const publisher = () => new Publisher(bus, { timeoutMs: this.publishMs });
    this.publishers = { events: publisher(), unreadable: publisher() };
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.leases.start();
    if (!this.publishers.events.hasBatches)
      this.log.warn('this nats-server has no atomic batches, take 2.12 or later: events go one by one');
    const events = this.repeat('events');
    this.running = [events, this.repeat('unreadable')];
    this.spool.onStored((_, fresh) => {
      if (fresh) this.fresh.add(fresh);
      else this.fresh.requestRead();
      events.wake();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running.map((one) => one.stop()));
    await this.leases.stop();
  }

  private repeat(kind: Kind): Repeated {
    return repeat(() => (kind === 'events' ? this.publishEvents() : this.publishOldest(kind)), {
      name: `publish_${kind}`,
      pauseMs: (pauseMs) => pauseMs,
      backoff: { firstMs: 2 * SWEEP_MS[kind], longestMs: LONGEST_PAUSE_MS },
      onFailure: (error) => this.log.warn('stored messages wait in the spool: they cannot be published now', { ...toOf(kind), error }),
    });
  }

  /** Publishes the events that were stored here a moment ago or, if there are none, events from the spool. Returns how long to pause. */
  private async publishEvents(): Promise<number> {
    const leased = new Set(this.leasedShards());
    const fresh = this.fresh.take(({ shard }) => leased.has(shard));
    if (fresh.length === 0) return this.publishOldest('events');
    await this.publish('events', fresh);
    return this.fresh.nextReadMs;
  }

  /** Reads the oldest messages of the spool and publishes them. Returns how long to pause. */
  private async publishOldest(kind: Kind): Promise<number> {
    if (kind === 'events') {
      await this.forget();
      this.fresh.startRead();
    }
    const shards = this.leasedShards();
    const waiting = shards.length ? await this.spool.oldest(kind, shards, { most: BATCH_EVENTS, bytes: BATCH_BYTES }) : [];
    if (kind === 'events') this.readAge(waiting);
    if (waiting.length > 0) await this.publish(kind, waiting);
    else this.health.publishing(kind); // whatever could not be published was published by another replica, or is no longer stored
    return tookAll(waiting) ? SWEEP_MS[kind] : 0;
  }

  private async publish(kind: Kind, waiting: readonly Waiting[]): Promise<void> {
    await this.publishers[kind].publish(waiting.map(outgoing)).catch((error: unknown) => this.unpublished(kind, error));
    this.health.publishing(kind);
    await this.spool.published(kind, waiting);
    if (kind === 'events') this.fresh.published(waiting);
    count(METRICS.feedPublished, {}, waiting.length);
  }

  /** Returns the shards whose lease leaves time for two attempts: the events of a batch that fails are published one by one. */
  private leasedShards(): number[] {
    return PARTITIONS.flatMap((partition, shard) => (this.leases.held(partition, 2 * this.publishMs) ? [shard] : []));
  }

  /** Records the age of the oldest waiting event: the batch has the oldest of each service. Zero when other replicas have the shards. */
  private readAge(waiting: readonly Waiting[]): void {
    const now = this.clock.now().getTime();
    read(METRICS.spoolAge, waiting.reduce((oldest, { received_at }) => Math.max(oldest, now - received_at.getTime()), 0) / 1000);
  }

  /** Notes that a stream did not take messages. A database that fails is noted elsewhere: nothing is wrong with the stream then. */
  private unpublished(kind: Kind, error: unknown): never {
    count(METRICS.feedPublishFailed, toOf(kind));
    this.health.publishing(kind, error);
    throw error;
  }

  private async forget(): Promise<void> {
    if (monotonic() - this.forgotAt < FORGET_EVERY_MS) return;
    const before = new Date(this.clock.now().getTime() - this.settings.keptMs);
    // Deletes a bounded number at a time, so that events never wait long for the deletion.
    if ((await this.spool.forget(before, FORGET_AT_ONCE)) < FORGET_AT_ONCE) this.forgotAt = monotonic();
  }
}

const toOf = (kind: Kind) => ({ 'messaging.destination.template': TO[kind] });

/** Whether the batch was so small that nothing is left. The worker then waits until something is stored here, or for a pause. */
const tookAll = (batch: readonly Waiting[]): boolean =>
  batch.length < NEARLY_EMPTY && batch.reduce((sum, { body }) => sum + body.length, 0) < BATCH_BYTES;
const NEARLY_EMPTY = 10;
