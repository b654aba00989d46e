import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import { CHANNELS, namesOf, SETTINGS, type Channels, type Settings } from '../config.ts';
import type { Lease } from '../leases/lease.ts';
import { Leases } from '../leases/leases.worker.ts';
import { ReconcileService } from '../reconcile/reconcile.service.ts';
import { ChannelsStore } from './channels.store.ts';
import { Drains } from './drains.service.ts';
import { FeedHealth, reasonOf } from './feed-health.service.ts';
import { nextPace, START, type Turn } from './pace.ts';

export const PULL_LEASES = Symbol('pull leases');

type Work = (lease: Lease) => Promise<Turn>;

/** Drains every channel this replica holds and, beside that, compares it with the platform where that is due. @spec D1-4.3 */
@Injectable()
export class PullWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>[] = [];
  private readonly waits: { longest: number; drain: number };
  /** Services that have more to drain at once: a comparison would find what is merely on its way. */
  private readonly behind = new Set<string>();

  constructor(
    @Inject(CHANNELS) private readonly given: Channels,
    @Inject(SETTINGS) settings: Settings,
    @Inject(PULL_LEASES) private readonly leases: Leases,
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
    const works: Work[] = [(lease) => this.drain(lease), (lease) => this.compare(lease)];
    for (const service of namesOf(this.given, 'pull')) this.running.push(...works.map((work) => this.serve(service, work)));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
    await this.leases.stop();
  }

  /** What is stored must still be ours: nothing begins that would outlive the lease. */
  private held(service: string): Lease | undefined {
    return this.leases.held(service, 2 * this.waits.drain);
  }

  /** Each with a pace of its own: the platform gives pages of its list out slowly, and events do not wait for them. */
  private async serve(service: string, work: Work): Promise<void> {
    const { signal } = this.stopping;
    for (let pace = START; !signal.aborted;) {
      pace = nextPace(pace, await this.turn(service, work), this.waits.longest);
      await pause(pace.pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async turn(service: string, work: Work): Promise<Turn> {
    const lease = this.held(service);
    if (!lease) this.health.left(service);
    if (!lease || this.stopping.signal.aborted) return 'none';
    try {
      return await work(lease);
    } catch (trouble) {
      this.log.warn('the feed cannot be read now', { 'cds.service': service, error: trouble });
      return { trouble };
    }
  }

  private async drain(lease: Lease): Promise<Turn> {
    const { name } = lease;
    try {
      const { more, events } = await this.drains.drain(lease, { timeout: this.waits.drain, isHeld: () => this.held(name) !== undefined });
      this.health.drained(name);
      if (more) this.behind.add(name);
      else this.behind.delete(name);
      return more ? 'more' : events.length ? 'some' : 'none';
    } catch (error) {
      this.health.troubled(name, error);
      count('feedDrainsFailed', { 'cds.service': name, 'cds.error_key': reasonOf(error) });
      throw error;
    }
  }

  /** Waits while there is more to drain. */
  private async compare(lease: Lease): Promise<Turn> {
    if (this.behind.has(lease.name)) return 'none';
    return (await this.reconcile.step(lease, this.waits.drain)) ? 'some' : 'none';
  }
}
