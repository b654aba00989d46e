import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { PARTITIONS } from '@cds/contracts';
import { BATCH_MESSAGES, Bus, Publisher } from '@cds/runtime/bus';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { count, LOG, read, type Log } from '@cds/runtime/telemetry';
import { SETTINGS, type Settings } from '../config.ts';
import { Leases } from '../leases/leases.worker.ts';
import { Spool, type Waiting } from '../spool/spool.store.ts';
import { outgoing } from './outgoing.ts';

export const SHARD_LEASES = Symbol('shard leases');

const BATCH_BYTES = 8 * 1024 * 1024;
/** Looks for what other replicas stored, or what a wake was lost for. */
const SWEEP_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const FORGET_AT_ONCE = 1000;
const FORGET_EVERY_MS = 60_000;

/** Publishes what is stored, one writer for each shard: in order, awaited, and only then taken from the spool. */
@Injectable()
export class RelayWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private wake = new AbortController();
  private readonly publisher: Publisher;
  private readonly publishMs: number;
  private running: Promise<void> | undefined;
  private forgotAt = -Infinity;

  constructor(
    @Inject(SHARD_LEASES) private readonly leases: Leases,
    @Inject(Spool) private readonly spool: Spool,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(Bus) bus: Bus,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.publishMs = Math.min(5000, (leases.options.seconds * 1000) / 3);
    this.publisher = new Publisher(bus, { timeoutMs: this.publishMs });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.leases.start();
    this.spool.onStored(() => this.wake.abort());
    if (!this.publisher.hasBatches) this.log.warn('this nats-server has no atomic batches, take 2.12 or later: events go one by one');
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.leases.stop();
  }

  private async run(): Promise<void> {
    for (let pauseMs = SWEEP_MS; !this.stopping.signal.aborted; ) {
      this.wake = new AbortController();
      const done = await this.turn().catch((error: unknown) => {
        this.log.warn('events wait in the spool: they cannot be published now', { error });
        return undefined;
      });
      if (done) continue;
      pauseMs = done === undefined ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : SWEEP_MS;
      const signals = done === undefined ? [this.stopping.signal] : [this.stopping.signal, this.wake.signal];
      await pause(pauseMs, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
    }
  }

  /** Publishes one batch; answers whether there was one. */
  private async turn(): Promise<boolean> {
    await this.forget();
    // Twice: a batch that fails is published one by one.
    const shards = PARTITIONS.flatMap((partition, shard) => (this.leases.held(partition, 2 * this.publishMs) ? [shard] : []));
    if (shards.length === 0) return false;
    const events = await this.spool.oldest(shards, { most: BATCH_MESSAGES, bytes: BATCH_BYTES });
    read('spoolAge', events[0] ? (this.clock.now().getTime() - events[0].received_at.getTime()) / 1000 : 0);
    if (events.length === 0) return false;
    await this.publish(events);
    return true;
  }

  /** Parked ones lie on another stream, and a batch goes to one stream. */
  private async publish(events: readonly Waiting[]): Promise<void> {
    await this.publisher.publish(events.filter(({ event }) => event !== null).map(outgoing));
    await this.publisher.publish(events.filter(({ event }) => event === null).map(outgoing));
    await this.spool.published(events);
    count('feedPublished', {}, events.length);
  }

  private async forget(): Promise<void> {
    if (performance.now() - this.forgotAt < FORGET_EVERY_MS) return;
    const before = new Date(this.clock.now().getTime() - this.settings.keptMs);
    // One portion at a time, so that events never wait long for it.
    if ((await this.spool.forget(before, FORGET_AT_ONCE)) < FORGET_AT_ONCE) this.forgotAt = performance.now();
  }
}
