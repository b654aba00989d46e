import { Inject, Injectable } from '@nestjs/common';
import { feed, operation, Refusal } from '@codase/contracts';
import { Bus, wasUnheard } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { together } from '@codase/runtime/db';
import { retry } from '@codase/runtime/resilience';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { fence, LeaseLost, type Lease } from '@codase/runtime/resilience/leases';
import { changesOf } from '../reconcile/known-state.ts';
import { KnownStore } from '../reconcile/known.store.ts';
import { ReconcileService } from '../reconcile/reconcile.service.ts';
import { SpoolLimit } from '../spool/spool-limit.service.ts';
import { Spool } from '../spool/spool.store.ts';
import { ChannelsStore, type Noted } from './channels.store.ts';
import { storedOf, type Drained } from './drained-events.ts';
import { drainedNothing } from './drain-pause.ts';
import { METRICS } from '../metrics.ts';

/** The time after which a platform that refused leases is asked for one again: it may have a newer version by then. */
const ASK_AGAIN_MS = 10 * 60_000;
/** The lease of the first drain, which has nothing to acknowledge yet. */
const NEW_LEASE = 'new';
/** How long events that were drained without a lease are tried to be stored: this process alone has them. */
const STORING = { backoff: { firstMs: 100, longestMs: 5_000 }, bound: { withinMs: 5 * 60_000 }, metric: METRICS.feedStoreRetried };

interface Limits {
  timeout: number;
  /** Whether this replica still has the channel for as long as a drain and its storing take. */
  isHeld(): boolean;
  /** Whether a comparison is known to be due. A comparison needs the time of the last drain. */
  isComparing: boolean;
}

/** The state after a successful drain, under one lease on the channel. */
interface LeftOff {
  epoch: string;
  /** The platform's lease that the next drain acknowledges. It is not written to the database when it acknowledges no events. */
  drain_lease: string;
}

/**
 * Drains a channel: write a note, drain, store, clear the note. A note that is left shows that a crash may have lost events. A platform
 * that waits for acknowledgements keeps the events, so a drain that continues from the last one needs no note, and writes nothing unless
 * events come. @spec D1-4.3
 */
@Injectable()
export class Drains {
  /** Services whose platform had only the drains of the specification, without leases, and when it is asked for a lease again. */
  private readonly plainUntil = new Map<string, Date>();
  private readonly leftOff = new Map<string, LeftOff>();

  constructor(
    private readonly bus: Bus,
    private readonly channels: ChannelsStore,
    private readonly spool: Spool,
    private readonly limit: SpoolLimit,
    private readonly known: KnownStore,
    private readonly reconcile: ReconcileService,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async drain(lease: Lease, limits: Limits): Promise<Drained & Pick<Noted, 'comparing'>> {
    const { name, epoch } = lease;
    await this.limit.check(name);
    const before = this.takeLeftOff(lease);
    const goesOn = before !== undefined && !limits.isComparing;
    const noted = goesOn ? this.unnoted(before) : await this.note(lease, before);
    const drained = await this.take(lease, noted, limits);
    const isKept = goesOn && drained.lease !== undefined && drained.events.length === 0;
    if (!isKept) await this.store(lease, noted, drained);
    if (drained.lease !== undefined) this.leftOff.set(name, { epoch, drain_lease: drained.lease });
    count(METRICS.feedDrains, { 'codase.service': name });
    return { ...drained, comparing: noted.comparing };
  }

  /** Takes out the state of the last drain, until this one succeeds. Undefined in another epoch: another replica may have drained. */
  private takeLeftOff({ name, epoch }: Lease): LeftOff | undefined {
    const left = this.leftOff.get(name);
    this.leftOff.delete(name);
    return left?.epoch === epoch ? left : undefined;
  }

  private unnoted({ drain_lease }: LeftOff): Noted {
    return { at: this.clock.now(), lost: false, awaited: false, drain_lease, comparing: false };
  }

  /** Writes the note. After a start or a failure the last drain may have left no note: its events are awaited. */
  private async note(lease: Lease, before: LeftOff | undefined): Promise<Noted> {
    const noted = await this.channels.note(lease);
    if (noted.lost) this.log.warn('the last drain was not stored: comparing with the platform', { 'codase.service': lease.name });
    if (before) return { ...noted, drain_lease: before.drain_lease };
    return { ...noted, awaited: noted.drain_lease !== null };
  }

  private async take(lease: Lease, noted: Noted, { timeout, isHeld }: Limits): Promise<Drained> {
    try {
      // The lease may have expired while the note was written.
      if (!isHeld()) throw new LeaseLost(lease);
      return await this.ask(lease, noted, timeout);
    } catch (error) {
      if (error instanceof LeaseLost || wasUnheard(error) || drainedNothing(error)) await this.channels.undrained(lease);
      throw error;
    }
  }

  /**
   * Drains with a lease, so that the platform keeps events until they are acknowledged. A platform without leases ignores or refuses the
   * lease. After a refusal it is asked for a lease again from time to time. @gap D1-4.3
   */
  private async ask(lease: Lease, { at, drain_lease }: Noted, timeout: number): Promise<Drained> {
    const service = lease.name;
    const drain = (query: { lease?: string }) => this.bus.request(operation(feed.drainChanges), { service }, { query }, { timeout });
    const now = this.clock.now();
    if ((this.plainUntil.get(service) ?? now) > now) return drain({});
    try {
      return await drain({ lease: drain_lease ?? NEW_LEASE });
    } catch (error) {
      if (!(error instanceof Refusal && error.key === 'request.invalid')) throw error;
      await this.channels.unacknowledged(lease, at);
      this.plainUntil.set(service, new Date(now.getTime() + ASK_AGAIN_MS));
      this.log.info('the platform waits for no acknowledgements: what a crash interrupts is found by comparing', {
        'codase.service': service,
      });
      return drain({});
    }
  }

  private async store(lease: Lease, noted: Noted, drained: Drained): Promise<void> {
    const service = lease.name;
    const { events, rows } = storedOf(drained, this.clock.now());
    // The platform no longer waits for acknowledgements: the events of the last drain do not come again.
    const isLost = noted.awaited && drained.lease === undefined;
    if (isLost) this.log.warn('the platform no longer waits for acknowledgements: comparing with it', { 'codase.service': service });
    if (rows.length === 0 && !isLost) return this.channels.drainedNone(lease, noted.at, drained.lease ?? null);
    const changes = changesOf(events);
    const store = () =>
      this.spool.transaction(service, async (tx) => {
        this.reconcile.noteEvents(
          service,
          changes.map(({ person_user_id }) => person_user_id),
        );
        const [, , added] = await together([
          fence(tx, lease),
          isLost ? this.channels.compareAnew(service, tx) : undefined,
          this.spool.add(tx, service, rows),
          this.known.apply(tx, service, changes),
          this.channels.drained(tx, lease, noted.at, drained.lease ?? null),
        ]);
        return added;
      });
    const comesAgain = drained.lease !== undefined;
    const storing = comesAgain ? store() : this.retried(service, store);
    const fresh = await storing.catch((error: unknown) => this.unstored(lease, drained, error));
    count(METRICS.feedReceived, { 'codase.service': service }, fresh);
    this.reportUnreadable(service, rows.length - events.length);
  }

  /** Stores events that the platform no longer has, and again when that fails: events that are stored already are left out. */
  private retried(service: string, store: () => Promise<number>): Promise<number> {
    return retry(store, {
      ...STORING,
      attributes: { 'codase.service': service },
      isWorth: (error) => !(error instanceof LeaseLost),
      onRetry: (error) => this.log.warn('drained events cannot be stored now: they are tried again', { 'codase.service': service, error }),
    });
  }

  /** Begins a comparison when drained events cannot be stored because the channel went to another replica, whose note misses them. */
  private async unstored({ name }: Lease, { events, lease }: Drained, error: unknown): Promise<never> {
    if (error instanceof LeaseLost && lease === undefined && events.length) await this.channels.compareAnew(name);
    throw error;
  }

  private reportUnreadable(service: string, unreadable: number): void {
    if (unreadable === 0) return;
    count(METRICS.feedUnreadable, { 'codase.service': service }, unreadable);
    this.log.error('drained events are none we know: parked', { 'codase.service': service, 'codase.count': unreadable });
  }
}
