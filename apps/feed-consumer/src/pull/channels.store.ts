import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { many, one, sql, type Db } from '@cds/runtime/db';
import { DataSource } from 'typeorm';
import { fence } from '../leases/leases.worker.ts';
import type { Lease } from '../leases/lease.ts';
import type { Channel } from '../config.ts';

/** A comparison with what the platform holds, as far as it has come. */
export interface Reconcile {
  /** A baseline only learns; a comparison publishes what it finds missing. */
  reconcile: 'baseline' | 'compare';
  reconcile_cursor: string | null;
  run: number;
}

/** What is remembered of each channel: the note of a drain, and a comparison under way. */
@Injectable()
export class ChannelsStore {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A channel that is drained begins by learning what there is, so that a later comparison finds only what changed. */
  async ensure(service: string, mode: Channel['mode']): Promise<void> {
    const reconcile = mode === 'pull' ? 'baseline' : null;
    await many(this.db, sql`insert into channel (service, reconcile) values (${service}, ${reconcile}) on conflict do nothing`);
  }

  /**
   * Writes the note of a drain, and answers what the drain acknowledges. If the last note still stands and the platform does not wait
   * for acknowledgements, its events may be lost: a comparison is due, from the start.
   */
  async note(lease: Lease): Promise<{ lost: boolean; drain_lease: string | null }> {
    return this.db.transaction(async (tx) => {
      await fence(tx, lease);
      const before = await one<{ lost: boolean; drain_lease: string | null }>(tx, sql`
        select draining_since is not null and drain_lease is null as lost, drain_lease
          from channel where service = ${lease.name} for update`);
      const { lost, drain_lease } = before ?? { lost: false, drain_lease: null };
      if (lost) await this.compareAnew(tx, lease.name);
      await many(tx, sql`update channel set draining_since = ${this.clock.now()} where service = ${lease.name}`);
      return { lost, drain_lease };
    });
  }

  /** The drain took nothing: its note is cleared. */
  async undrained({ name }: Lease): Promise<void> {
    await many(this.db, sql`update channel set draining_since = null where service = ${name}`);
  }

  /** Within the store of what was drained: the note is cleared, and the next drain acknowledges. */
  async drained(tx: Db, { name }: Lease, drain_lease: string | null): Promise<void> {
    await many(tx, sql`update channel set draining_since = null, drain_lease = ${drain_lease} where service = ${name}`);
  }

  private async compareAnew(tx: Db, service: string): Promise<void> {
    await many(tx, sql`update channel set reconcile = 'compare', reconcile_cursor = null, run = run + 1 where service = ${service}`);
  }

  async reconcileOf(service: string): Promise<Reconcile | undefined> {
    return one<Reconcile>(this.db, sql`
      select reconcile, reconcile_cursor, run from channel where service = ${service} and reconcile is not null`);
  }

  async runOf(db: Db, service: string): Promise<number> {
    return (await one<{ run: number }>(db, sql`select run from channel where service = ${service}`))?.run ?? 1;
  }

  /** A page was compared; without a next one the comparison is through. */
  async compared(db: Db, service: string, next_cursor: string | null): Promise<void> {
    await many(db, sql`
      update channel set reconcile_cursor = ${next_cursor}, reconcile = case when ${next_cursor}::text is not null then reconcile end
       where service = ${service}`);
  }
}
