import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { monotonic, repeat, type Repeated } from '@cds/runtime/resilience';
import { ShardLeases, type Lease } from '@cds/runtime/resilience/leases';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import { CHANNELS, namesOf, SETTINGS, type Channels, type Settings } from '../config.ts';
import { ReconcileService } from '../reconcile/reconcile.service.ts';
import { ChannelsStore } from './channels.store.ts';
import { Drains } from './drains.service.ts';
import { FeedHealth, reasonOf } from './feed-health.service.ts';
import { leftOf, nextPause, NO_PAUSE, type DrainTurn } from './drain-pause.ts';
import { METRICS } from '../metrics.ts';

export const PULL_LEASES = Symbol('pull leases');

type Work = (lease: Lease) => Promise<DrainTurn>;

/** Drains every channel this replica holds and, beside that, compares it with the platform where that is due. @spec D1-4.3 */
@Injectable()
export class PullWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private isStopping = false;
  private readonly running: Repeated[] = [];
  private readonly waits: { longest: number; drain: number };
  /** Services whose last drain left nothing behind. Of any other, a comparison would report events as lost that are only on their way. */
  private readonly drainedAll = new Set<string>();
  /** Services for which the last drain found that a comparison is due. */
  private readonly comparing = new Set<string>();

  constructor(
    @Inject(CHANNELS) private readonly given: Channels,
    @Inject(SETTINGS) settings: Settings,
    @Inject(PULL_LEASES) private readonly leases: ShardLeases,
    private readonly channels: ChannelsStore,
    private readonly drains: Drains,
    private readonly reconcile: ReconcileService,
    private readonly health: FeedHealth,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.waits = { longest: settings.idleMs, drain: Math.min(10_000, (leases.options.seconds * 1000) / 3) };
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const [service, { mode }] of Object.entries(this.given)) await this.channels.ensure(service, mode);
    await this.leases.start();
    for (const service of namesOf(this.given, 'pull')) {
      this.running.push(this.serve(service, 'drain', (lease) => this.drain(lease)));
      this.running.push(this.serve(service, 'compare', (lease) => this.compare(lease)));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.running.map((one) => one.stop()));
    await this.leases.stop();
  }

  /** Nothing is begun that would outlive the lease. */
  private held(service: string): Lease | undefined {
    return this.leases.held(service, 2 * this.waits.drain);
  }

  /** Drains and comparisons have pauses of their own: the platform gives pages of its list out slowly, and events do not wait for them. */
  private serve(service: string, name: string, work: Work): Repeated {
    let [pause, began] = [NO_PAUSE, monotonic()];
    const turn = () => {
      began = monotonic();
      return this.turn(service, work);
    };
    return repeat(turn, {
      name,
      pauseMs: (brought) => {
        pause = nextPause(pause, brought, this.waits.longest);
        return leftOf(pause, monotonic() - began);
      },
      onFailure: (error) => this.log.error('a turn of the feed failed', { 'cds.service': service, error }),
    });
  }

  private async turn(service: string, work: Work): Promise<DrainTurn> {
    const lease = this.held(service);
    if (!lease) this.leave(service);
    if (!lease || this.isStopping) return 'none';
    try {
      return await work(lease);
    } catch (error) {
      this.log.warn('the feed cannot be read now', { 'cds.service': service, error });
      return { error };
    }
  }

  /** Another replica drains the channel, or nobody. */
  private leave(service: string): void {
    this.drainedAll.delete(service);
    this.health.left(service);
  }

  private async drain(lease: Lease): Promise<DrainTurn> {
    const { name } = lease;
    try {
      const limits = { timeout: this.waits.drain, isHeld: () => this.held(name) !== undefined };
      const { more, events, comparing } = await this.drains.drain(lease, limits);
      this.health.drained(name);
      if (comparing) this.comparing.add(name);
      else this.comparing.delete(name);
      if (more) this.drainedAll.delete(name);
      else this.drainedAll.add(name);
      return more ? 'more' : events.length ? 'some' : 'none';
    } catch (error) {
      this.drainedAll.delete(name);
      this.health.failed(name, error);
      count(METRICS.feedDrainsFailed, { 'cds.service': name, 'cds.error_key': reasonOf(error) });
      throw error;
    }
  }

  /** Waits until the feed was drained to its end. Without a question to the database where nothing is due, which is nearly always. */
  private async compare(lease: Lease): Promise<DrainTurn> {
    if (!this.drainedAll.has(lease.name) || !this.comparing.has(lease.name)) return 'none';
    return (await this.reconcile.step(lease, this.waits.drain)) ? 'some' : 'none';
  }
}
