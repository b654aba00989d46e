import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { isDoneWithin, monotonic, repeat, type Repeated } from '@codase/runtime/resilience';
import { ShardLeases, type Lease } from '@codase/runtime/resilience/leases';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { CHANNELS, namesOf, SETTINGS, type Channels, type Settings } from '../config.ts';
import { ReconcileService } from '../reconcile/reconcile.service.ts';
import { Spool } from '../spool/spool.store.ts';
import { ChannelsStore } from './channels.store.ts';
import { Drains } from './drains.service.ts';
import { FeedHealth, reasonOf } from './feed-health.service.ts';
import { leftOf, nextPause, NO_PAUSE, type DrainTurn } from './drain-pause.ts';
import { METRICS } from '../metrics.ts';

export const PULL_LEASES = Symbol('pull leases');

/** At a start, so many channels are drained at once. The next ones follow when these are done, or after `withinMs`. */
const FIRST_DRAINS = { atOnce: 10, withinMs: 250 };

/**
 * A service that has more events at the platform, and of which more than `events` wait to be published here, is drained only once in `ms`:
 * storing still more would take the time that publishing its events, and those of other services, needs.
 */
const ENOUGH = { events: 1000, ms: 1000 };

type Work = (lease: Lease) => Promise<DrainTurn>;

/** Drains every channel this replica holds and, at the same time, compares it with the platform when this is due. @spec D1-4.3 */
@Injectable()
export class PullWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private isStopping = false;
  /** The loops that drain, one for each service. They run until the process stops. */
  private readonly draining = new Map<string, Repeated>();
  private beginning: Promise<void> | undefined;
  private checking: Repeated | undefined;
  /** The loops that compare, only of services that are being compared. */
  private readonly comparisons = new Map<string, Repeated>();
  private readonly waits: { longest: number; drain: number };
  /** Services whose last drain left no events at the platform: of others, a comparison would report events that are still to come. */
  private readonly drainedAll = new Set<string>();
  /** When each service that still has more events at the platform was drained last. */
  private readonly leftMoreAt = new Map<string, number>();
  /** Services for which a comparison is due. */
  private readonly comparing = new Set<string>();

  constructor(
    @Inject(CHANNELS) private readonly given: Channels,
    @Inject(SETTINGS) settings: Settings,
    @Inject(PULL_LEASES) private readonly leases: ShardLeases,
    private readonly channels: ChannelsStore,
    private readonly drains: Drains,
    private readonly spool: Spool,
    private readonly reconcile: ReconcileService,
    private readonly health: FeedHealth,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.waits = { longest: settings.idleMs, drain: Math.min(10_000, (leases.options.seconds * 1000) / 3) };
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.channels.ensure(this.given);
    await this.leases.start();
    this.beginning = this.begin(namesOf(this.given, 'pull'));
    this.checking = repeat(() => this.findDue(), {
      name: 'compare',
      pauseMs: this.waits.longest,
      onFailure: (error) => this.log.warn('it is not known whether a comparison is due', { error }),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.checking?.stop();
    await this.beginning;
    await Promise.all([...this.draining.values()].map((one) => one.stop()));
    await Promise.all([...this.comparisons.values()].map((one) => one.stop()));
    await this.leases.stop();
  }

  /** Begins to drain some services at a time: a thousand first drains at once would wait for each other, and take much memory. */
  private async begin(services: readonly string[]): Promise<void> {
    for (let from = 0; from < services.length && !this.isStopping; from += FIRST_DRAINS.atOnce) {
      const begun = services.slice(from, from + FIRST_DRAINS.atOnce).map((service) => this.beginDraining(service).first);
      await isDoneWithin(FIRST_DRAINS.withinMs, Promise.all(begun));
    }
  }

  private beginDraining(service: string): Repeated {
    const begun = this.serve(service, 'drain', (lease) => this.drain(lease));
    this.draining.set(service, begun);
    return begun;
  }

  /** Returns the lease when it lasts long enough: no work begins that would take longer than the lease. */
  private leaseOf(service: string): Lease | undefined {
    return this.leases.held(service, 2 * this.waits.drain);
  }

  /** Repeats the work for a service. Drains do not wait for comparisons, because the platform gives out pages of its list slowly. */
  private serve(service: string, name: string, work: Work): Repeated {
    let [pause, began] = [NO_PAUSE, monotonic()];
    const turn = () => {
      began = monotonic();
      return this.turn(service, work);
    };
    return repeat(turn, {
      name,
      // Not after a failure: a platform that asked for a pause is not asked again before the pause is over.
      endsTogether: (brought) => typeof brought === 'string',
      pauseMs: (brought) => {
        pause = nextPause(pause, brought, this.waits.longest);
        return leftOf(pause, monotonic() - began);
      },
      onFailure: (error) => this.log.error('a turn of the feed failed', { 'codase.service': service, error }),
    });
  }

  private async turn(service: string, work: Work): Promise<DrainTurn> {
    const lease = this.leaseOf(service);
    if (!lease) this.leave(service);
    if (!lease || this.isStopping) return 'none';
    try {
      return await work(lease);
    } catch (error) {
      this.log.warn('the feed cannot be read now', { 'codase.service': service, error });
      return { error };
    }
  }

  /** Forgets the state of a channel that this replica no longer holds. */
  private leave(service: string): void {
    this.drainedAll.delete(service);
    this.leftMoreAt.delete(service);
    this.endComparison(service);
    this.health.left(service);
  }

  private async drain(lease: Lease): Promise<DrainTurn> {
    const { name } = lease;
    try {
      if (await this.hasEnough(name)) return 'some';
      const isComparing = this.comparing.has(name);
      const limits = { timeout: this.waits.drain, isHeld: () => this.leaseOf(name) !== undefined, isComparing };
      const { more, events, comparing } = await this.drains.drain(lease, limits);
      this.health.drained(name);
      if (more) this.leftMore(name);
      else this.leftNothing(name);
      if (comparing) this.beginComparison(name);
      else if (isComparing) this.endComparison(name);
      return more ? 'more' : events.length ? 'some' : 'none';
    } catch (error) {
      this.drainedAll.delete(name);
      this.health.failed(name, error);
      count(METRICS.feedDrainsFailed, { 'codase.service': name, 'codase.error_key': reasonOf(error) });
      throw error;
    }
  }

  private leftMore(service: string): void {
    this.drainedAll.delete(service);
    this.leftMoreAt.set(service, monotonic());
  }

  private leftNothing(service: string): void {
    this.drainedAll.add(service);
    this.leftMoreAt.delete(service);
  }

  private async hasEnough(service: string): Promise<boolean> {
    const at = this.leftMoreAt.get(service);
    return at !== undefined && monotonic() - at < ENOUGH.ms && (await this.spool.isWaiting(service, ENOUGH.events));
  }

  /**
   * Finds comparisons that are due with one query for all services, because drains that bring nothing do not query for it. A comparison
   * begins after the next drain, which stores its time. That drain is woken now, unless it waits after a failure.
   */
  private async findDue(): Promise<void> {
    if (this.drainedAll.size === 0) return;
    for (const service of await this.channels.comparing([...this.drainedAll])) {
      if (this.comparing.has(service) || !this.drainedAll.has(service)) continue;
      this.comparing.add(service);
      this.draining.get(service)!.wake();
    }
  }

  private beginComparison(service: string): void {
    this.comparing.add(service);
    if (this.isStopping || this.comparisons.has(service)) return;
    this.comparisons.set(
      service,
      this.serve(service, 'compare', (lease) => this.compare(lease)),
    );
  }

  /** Ends a comparison. It stays in the map until its last turn is over, so that a service never has two. */
  private endComparison(service: string): void {
    this.comparing.delete(service);
    void this.comparisons
      .get(service)
      ?.stop()
      .then(() => this.comparisons.delete(service));
  }

  /** Compares one page. Does nothing until the feed is drained to its end. */
  private async compare(lease: Lease): Promise<DrainTurn> {
    if (!this.drainedAll.has(lease.name) || !this.comparing.has(lease.name)) return 'none';
    return (await this.reconcile.step(lease, this.waits.drain)) ? 'some' : 'none';
  }
}
