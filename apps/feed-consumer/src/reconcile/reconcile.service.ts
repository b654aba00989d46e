import { Inject, Injectable } from '@nestjs/common';
import { connections, operation, Refusal, type Connection } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { fence, type Lease } from '@codase/runtime/resilience/leases';
import { ChannelsStore, type Reconcile } from '../pull/channels.store.ts';
import { Spool } from '../spool/spool.store.ts';
import { spooled } from '../spool/spooled-event.ts';
import { departure, differences, type Difference } from './differences.ts';
import { knownOf } from './known-state.ts';
import { KnownStore } from './known.store.ts';
import { METRICS } from '../metrics.ts';

const PAGE = 50;
const DEPARTURES = 500;
/** How often a page is read again because events came meanwhile. After that, the persons of those events are not compared. */
const READ_AGAIN = 3;

/** A page as the platform listed it, and when it was requested. */
interface Page {
  items: readonly Connection[];
  next_cursor: string | null;
  now: Date;
  /** Persons with events since the request: what the page says of them may be older than their events. */
  changedMeanwhile: ReadonlySet<string>;
}

/**
 * Compares the connections that the platform lists with what was seen of them, page by page, while drains go on. Changes that a crash lost
 * are published as events marked reconciled. What only an event contains (a message, an outcome) cannot be found again.
 */
@Injectable()
export class ReconcileService {
  private page = PAGE;
  /** For each service whose page is on its way: the persons with events since it was requested. */
  private readonly changedMeanwhile = new Map<string, Set<string>>();
  private readonly readAgain = new Map<string, number>();

  constructor(
    private readonly bus: Bus,
    private readonly channels: ChannelsStore,
    private readonly known: KnownStore,
    private readonly spool: Spool,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Notes the persons of events that are stored now: a page that is on its way is older, and would bring back what they replaced. */
  noteEvents(service: string, person_user_ids: readonly string[]): void {
    const meanwhile = this.changedMeanwhile.get(service);
    for (const person of person_user_ids) meanwhile?.add(person);
  }

  /** Compares one page, if a comparison is due. Returns whether there are more pages. */
  async step(lease: Lease, timeout: number): Promise<boolean> {
    const state = await this.channels.reconcileOf(lease.name);
    if (!state) return false;
    try {
      const page = await this.list(lease.name, state.reconcile_cursor, timeout);
      const found = await this.spool.transaction(lease.name, (tx) => this.take(tx, lease, state, page));
      if (!found) return true;
      this.report(lease.name, state, found);
      if (page.next_cursor === null) this.log.info('connections compared', { 'codase.service': lease.name });
      return page.next_cursor !== null;
    } finally {
      this.changedMeanwhile.delete(lease.name);
    }
  }

  /** Requests a page. When a page is too long for the bus, the next request asks for half as many connections. */
  private async list(service: string, cursor: string | null, timeout: number): Promise<Page> {
    const [now, changedMeanwhile] = [this.clock.now(), new Set<string>()];
    this.changedMeanwhile.set(service, changedMeanwhile);
    try {
      const query = { limit: this.page, ...(cursor !== null && { cursor }) };
      const page = await this.bus.request(operation(connections.listConnections), { service }, { query }, { timeout });
      return { ...page, now, changedMeanwhile };
    } catch (error) {
      if (error instanceof Refusal && error.key === 'request.too_large') this.page = Math.max(1, Math.floor(this.page / 2));
      throw error;
    }
  }

  /** Compares a page and stores the result. Returns undefined when the page is read again, or the comparison has begun anew. */
  private async take(tx: EntityManager, lease: Lease, before: Reconcile, page: Page): Promise<Difference[] | undefined> {
    await fence(tx, lease);
    const state = await this.channels.reconcileOf(lease.name, tx);
    if (state?.run !== before.run || state.reconcile_cursor !== before.reconcile_cursor) return undefined;
    const items = page.items.filter(({ person_id }) => !page.changedMeanwhile.has(person_id));
    if (items.length < page.items.length && this.mayReadAgain(lease.name)) return undefined;
    this.readAgain.delete(lease.name);
    const found = await this.compare(tx, lease.name, state, { ...page, items });
    if (page.next_cursor === null) found.push(...(await this.departures(tx, lease.name, state, page.now)));
    if (state.reconcile === 'compare')
      await this.spool.add(
        tx,
        lease.name,
        found.map(({ event }) => spooled(event)),
        'reconciled',
      );
    await this.channels.compared(tx, lease.name, page.next_cursor);
    return found;
  }

  private mayReadAgain(service: string): boolean {
    const times = (this.readAgain.get(service) ?? 0) + 1;
    this.readAgain.set(service, times);
    return times <= READ_AGAIN;
  }

  private async compare(tx: EntityManager, service: string, { run, drained_at }: Reconcile, { items, now }: Page): Promise<Difference[]> {
    const known = await this.known.of(
      tx,
      service,
      items.map(({ person_id }) => person_id),
    );
    const found = items.flatMap((item) => differences(item, known.get(item.person_id), { run, now, drained_at }));
    await this.known.apply(
      tx,
      service,
      items.map((item) => ({ ...knownOf(item), anew: true, gone: false })),
    );
    return found;
  }

  private async departures(tx: EntityManager, service: string, { run }: Reconcile, now: Date): Promise<Difference[]> {
    const found: Difference[] = [];
    for (;;) {
      const gone = await this.known.unseen(tx, service, run, DEPARTURES);
      found.push(...gone.map((person) => ({ event: departure(person, { run, now }), isLost: true })));
      if (gone.length < DEPARTURES) return found;
    }
  }

  /** Counts and logs what was found. Lost events are a warning, events of which it is not sure are not. A baseline publishes nothing. */
  private report(service: string, { reconcile }: Reconcile, found: readonly Difference[]): void {
    if (reconcile === 'baseline') return;
    const lost = found.filter(({ isLost }) => isLost).length;
    const unsure = found.length - lost;
    count(METRICS.feedReconciled, { 'codase.service': service }, lost);
    count(METRICS.feedRetold, { 'codase.service': service }, unsure);
    if (lost) this.log.warn('comparing found events that were lost', { 'codase.service': service, 'codase.count': lost });
    if (unsure)
      this.log.info('comparing published events that may have been published before', {
        'codase.service': service,
        'codase.count': unsure,
      });
  }
}
