import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { FEED, PARKED, PARTITIONS } from '@cds/contracts';
import { BATCH_MESSAGES, Bus, Publisher } from '@cds/runtime/bus';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { count, LOG, read, type Log } from '@cds/runtime/telemetry';
import { SETTINGS, type Settings } from '../config.ts';
import { Leases } from '../leases/leases.worker.ts';
import { Spool, type Kind } from '../spool/spool.store.ts';
import { outgoing } from './outgoing.ts';

export const SHARD_LEASES = Symbol('shard leases');

const BATCH_BYTES = 8 * 1024 * 1024;
/** Looks for what other replicas stored, or what a wake was lost for. Nobody waits for what could not be read. */
const SWEEP_MS = { events: 250, unreadable: 1000 } satisfies Record<Kind, number>;
const LONGEST_PAUSE_MS = 10_000;
const FORGET_AT_ONCE = 1000;
const FORGET_EVERY_MS = 60_000;
const TO = { events: FEED.pattern, unreadable: PARKED.pattern } satisfies Record<Kind, string>;

/**
 * Publishes what is stored, one writer for each shard: in order, awaited, and only then taken from the spool. What could not be read goes
 * to a stream of its own, by a loop of its own: when that stream takes nothing, events go on.
 */
@Injectable()
export class RelayWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private wake = new AbortController();
  /** One for each stream: that one takes no batches says nothing of the other. */
  private readonly publishers: Record<Kind, Publisher>;
  private readonly publishMs: number;
  private running: Promise<unknown> | undefined;
  private forgotAt = -Infinity;

  constructor(
    @Inject(SHARD_LEASES) private readonly leases: Leases,
    private readonly spool: Spool,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    bus: Bus,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.publishMs = Math.min(5000, (leases.options.seconds * 1000) / 3);
    const publisher = () => new Publisher(bus, { timeoutMs: this.publishMs });
    this.publishers = { events: publisher(), unreadable: publisher() };
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.leases.start();
    this.spool.onStored(() => this.wake.abort());
    if (!this.publishers.events.hasBatches)
      this.log.warn('this nats-server has no atomic batches, take 2.12 or later: events go one by one');
    this.running = Promise.all([this.run('events'), this.run('unreadable')]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.leases.stop();
  }

  private async run(kind: Kind): Promise<void> {
    for (let pauseMs = SWEEP_MS[kind]; !this.stopping.signal.aborted;) {
      if (kind === 'events') this.wake = new AbortController();
      const done = await this.turn(kind).catch((error: unknown) => this.failed(kind, error));
      pauseMs = done === undefined ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : SWEEP_MS[kind];
      if (done) continue;
      const isWoken = kind === 'events' && done !== undefined;
      const signals = isWoken ? [this.stopping.signal, this.wake.signal] : [this.stopping.signal];
      await pause(pauseMs, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
    }
  }

  /** Publishes one batch; answers whether there was one. */
  private async turn(kind: Kind): Promise<boolean> {
    if (kind === 'events') await this.forget();
    // Twice: a batch that fails is published one by one.
    const shards = PARTITIONS.flatMap((partition, shard) => (this.leases.held(partition, 2 * this.publishMs) ? [shard] : []));
    const waiting = shards.length ? await this.spool.oldest(kind, shards, { most: BATCH_MESSAGES, bytes: BATCH_BYTES }) : [];
    if (kind === 'events') this.readAge(waiting[0]?.received_at);
    if (waiting.length === 0) return false;
    await this.publishers[kind].publish(waiting.map(outgoing));
    await this.spool.published(waiting);
    count('feedPublished', {}, waiting.length);
    return true;
  }

  /** Nothing waits here too when the shards have gone to another replica. */
  private readAge(oldest: Date | undefined): void {
    read('spoolAge', oldest ? (this.clock.now().getTime() - oldest.getTime()) / 1000 : 0);
  }

  private failed(kind: Kind, error: unknown): undefined {
    const to = { 'messaging.destination.template': TO[kind] };
    count('feedPublishFailed', to);
    this.log.warn('stored messages wait in the spool: they cannot be published now', { ...to, error });
  }

  private async forget(): Promise<void> {
    if (performance.now() - this.forgotAt < FORGET_EVERY_MS) return;
    const before = new Date(this.clock.now().getTime() - this.settings.keptMs);
    // One portion at a time, so that events never wait long for it.
    if ((await this.spool.forget(before, FORGET_AT_ONCE)) < FORGET_AT_ONCE) this.forgotAt = performance.now();
  }
}
