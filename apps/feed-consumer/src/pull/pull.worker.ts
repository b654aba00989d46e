import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { connections, operation, Refusal, type Output } from '@cds/contracts';
import { Bus, wasUnheard } from '@cds/runtime/bus';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import { CHANNELS, namesOf, SETTINGS, type Channels, type Settings } from '../config.ts';
import type { Lease } from '../leases/lease.ts';
import { fence, Leases } from '../leases/leases.worker.ts';
import { changesOf } from '../reconcile/known.ts';
import { KnownStore } from '../reconcile/known.store.ts';
import { ReconcileService } from '../reconcile/reconcile.service.ts';
import { Spool } from '../spool/spool.store.ts';
import { spooled } from '../spool/spooled.ts';
import { ChannelsStore } from './channels.store.ts';
import { drainedNothing, nextPause, type Turn } from './pace.ts';

export const PULL_LEASES = Symbol('pull leases');

type Drained = Output<typeof connections.drainChanges>;
/** What the first drain says, that has nothing to acknowledge yet. */
const NEW_LEASE = 'new';

/** Drains every channel this replica holds: note, drain, store, clear. @spec D1-4.3 */
@Injectable()
export class PullWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>[] = [];
  private readonly waits: { longest: number; drain: number };
  /** Services whose platform knows the specification's drain alone. */
  private readonly plain = new Set<string>();

  constructor(
    @Inject(CHANNELS) private readonly given: Channels,
    @Inject(SETTINGS) settings: Settings,
    @Inject(PULL_LEASES) private readonly leases: Leases,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(ChannelsStore) private readonly channels: ChannelsStore,
    @Inject(Spool) private readonly spool: Spool,
    @Inject(KnownStore) private readonly known: KnownStore,
    @Inject(ReconcileService) private readonly reconcile: ReconcileService,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.waits = { longest: settings.idleMs, drain: Math.min(10_000, (leases.options.seconds * 1000) / 3) };
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const [service, { mode }] of Object.entries(this.given)) await this.channels.ensure(service, mode);
    await this.leases.start();
    for (const service of namesOf(this.given, 'pull')) this.running.push(this.serve(service));
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

  /**
   * Drains, and between drains compares a page where that is due. Never both at once: a page that was read before a drain and compared
   * after it would bring back what the drained events replaced.
   */
  private async serve(service: string): Promise<void> {
    const { signal } = this.stopping;
    const compares = { pauseMs: 0, from: 0 };
    for (let pauseMs = 0; !signal.aborted; ) {
      pauseMs = nextPause(pauseMs, await this.turn(service, (lease) => this.drain(lease)), this.waits.longest);
      if (performance.now() >= compares.from) {
        compares.pauseMs = nextPause(compares.pauseMs, await this.turn(service, (lease) => this.compare(lease)), this.waits.longest);
        compares.from = performance.now() + compares.pauseMs;
      }
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async turn(service: string, work: (lease: Lease) => Promise<Turn>): Promise<Turn> {
    const lease = this.held(service);
    if (!lease || this.stopping.signal.aborted) return 'none';
    try {
      return await work(lease);
    } catch (trouble) {
      this.log.warn('the feed cannot be read now', { 'cds.service': service, error: trouble });
      return { trouble };
    }
  }

  private async compare(lease: Lease): Promise<Turn> {
    return (await this.reconcile.step(lease, this.waits.drain)) ? 'some' : 'none';
  }

  private async drain(lease: Lease): Promise<Turn> {
    const { lost, drain_lease } = await this.channels.note(lease);
    if (lost) this.log.warn('the last drain was not stored: comparing with the platform', { 'cds.service': lease.name });
    const drained = await this.take(lease, drain_lease ?? NEW_LEASE);
    const fresh = await this.store(lease, drained);
    count('feedReceived', { 'cds.service': lease.name }, fresh);
    return drained.more ? 'more' : drained.events.length ? 'some' : 'none';
  }

  private async take(lease: Lease, drain_lease: string): Promise<Drained> {
    try {
      return await this.ask(lease.name, drain_lease);
    } catch (error) {
      if (wasUnheard(error) || drainedNothing(error)) await this.channels.undrained(lease);
      throw error;
    }
  }

  /** Asks for a drain that waits to be acknowledged; one that knows no such thing ignores the wish, or refuses it once. @gap D1-4.3 */
  private async ask(service: string, drain_lease: string): Promise<Drained> {
    const drain = (query: { lease?: string }) =>
      this.bus.request(operation(connections.drainChanges), { service }, { query }, { timeout: this.waits.drain });
    if (this.plain.has(service)) return drain({});
    try {
      return await drain({ lease: drain_lease });
    } catch (error) {
      if (!(error instanceof Refusal && error.key === 'request.invalid')) throw error;
      this.plain.add(service);
      return drain({});
    }
  }

  private async store(lease: Lease, { events, lease: drain_lease, traces = [] }: Drained): Promise<number> {
    const traceOf = new Map(traces.map(({ id, traceparent }) => [id, traceparent]));
    return this.spool.transaction(lease.name, async (tx) => {
      await fence(tx, lease);
      const fresh = await this.spool.add(tx, lease.name, events.map((event) => spooled(event, { traceparent: traceOf.get(event.id) })));
      const run = await this.channels.runOf(tx, lease.name);
      await this.known.apply(tx, lease.name, run, changesOf(events));
      await this.channels.drained(tx, lease, drain_lease ?? null);
      return fresh;
    });
  }
}
