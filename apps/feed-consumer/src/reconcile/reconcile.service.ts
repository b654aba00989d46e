import { Inject, Injectable } from '@nestjs/common';
import { connections, operation, Refusal, type Connection, type FeedEvent } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import type { Lease } from '../leases/lease.ts';
import { fence } from '../leases/leases.worker.ts';
import { ChannelsStore, type Reconcile } from '../pull/channels.store.ts';
import { Spool } from '../spool/spool.store.ts';
import { spooled } from '../spool/spooled.ts';
import { departure, differences } from './differences.ts';
import { knownOf } from './known.ts';
import { KnownStore } from './known.store.ts';

const PAGE = 50;
const DEPARTURES = 500;

/**
 * Compares the connections the platform lists with what was seen of them, page by page between drains: whatever a crash lost is
 * published as events marked reconciled. What only an event ever told (a message, an outcome) cannot be found again.
 */
@Injectable()
export class ReconcileService {
  private page = PAGE;

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(ChannelsStore) private readonly channels: ChannelsStore,
    @Inject(KnownStore) private readonly known: KnownStore,
    @Inject(Spool) private readonly spool: Spool,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Compares one page, if a comparison is due. Answers whether there is more of it. */
  async step(lease: Lease, timeout: number): Promise<boolean> {
    const state = await this.channels.reconcileOf(lease.name);
    if (!state) return false;
    const { items, next_cursor } = await this.list(lease.name, state.reconcile_cursor, timeout);
    const found = await this.spool.transaction(lease.name, async (tx) => {
      await fence(tx, lease);
      const events = await this.compare(tx, lease.name, state, items);
      if (next_cursor === null) events.push(...(await this.departures(tx, lease.name, state)));
      if (state.reconcile === 'compare') await this.spool.add(tx, lease.name, events.map((event) => spooled(event)), 'reconciled');
      await this.channels.compared(tx, lease.name, next_cursor);
      return state.reconcile === 'compare' ? events.length : 0;
    });
    count('feedReconciled', { 'cds.service': lease.name }, found);
    if (found) this.log.warn('comparing found events that were lost', { 'cds.service': lease.name, 'cds.count': found });
    if (next_cursor === null) this.log.info('connections compared', { 'cds.service': lease.name });
    return next_cursor !== null;
  }

  /** A page that is longer than the bus carries is asked for in smaller parts. */
  private async list(service: string, cursor: string | null, timeout: number) {
    try {
      const query = { limit: this.page, ...(cursor !== null && { cursor }) };
      return await this.bus.request(operation(connections.listConnections), { service }, { query }, { timeout });
    } catch (error) {
      if (error instanceof Refusal && error.key === 'request.too_large') this.page = Math.max(1, Math.floor(this.page / 2));
      throw error;
    }
  }

  private async compare(tx: EntityManager, service: string, { run }: Reconcile, items: readonly Connection[]): Promise<FeedEvent[]> {
    const known = await this.known.of(tx, service, items.map(({ person_id }) => person_id));
    const events = items.flatMap((item) => differences(item, known.get(item.person_id), { run, now: this.clock.now() }));
    await this.known.apply(tx, service, run, items.map((item) => ({ ...knownOf(item), anew: true, gone: false })));
    return events;
  }

  private async departures(tx: EntityManager, service: string, { run }: Reconcile): Promise<FeedEvent[]> {
    const events: FeedEvent[] = [];
    for (;;) {
      const gone = await this.known.unseen(tx, service, run, DEPARTURES);
      events.push(...gone.map((person) => departure(person, { run, now: this.clock.now() })));
      if (gone.length < DEPARTURES) return events;
    }
  }
}
