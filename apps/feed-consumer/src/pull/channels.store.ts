import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { execute, many, one, prepared, sql, type Db } from '@codase/runtime/db';
import { DataSource } from 'typeorm';
import { fence, LeaseLost, type Lease } from '@codase/runtime/resilience/leases';
import type { Channels } from '../config.ts';
import type { ChannelEntity } from './channel.entity.ts';

/** How far a comparison with the platform has come. */
export interface Reconcile extends Pick<ChannelEntity, 'reconcile_cursor' | 'run' | 'drained_at'> {
  /** A baseline only stores what it reads. A comparison also publishes what it finds missing. */
  reconcile: 'baseline' | 'compare';
}

/** What the store found when it wrote the note of a drain. */
export interface Noted {
  /** When the drain began. */
  at: Date;
  /** The last drain was not stored, and the platform no longer has its events: a comparison is due. */
  lost: boolean;
  /** The last drain may not have been stored: its events come again, if the platform still waits for acknowledgements. */
  awaited: boolean;
  /** The platform's lease that the next drain acknowledges. */
  drain_lease: string | null;
  /** A comparison with the platform is due, or under way. */
  comparing: boolean;
}

/** What is remembered of each channel: the note of a drain, and a comparison under way. */
@Injectable()
export class ChannelsStore {
  constructor(
    private readonly db: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Creates the rows of the channels. A channel that is drained begins with a baseline of what the platform holds, so that a later
   * comparison finds only what changed. A channel that was a webhook before and was never drained also begins with one. One statement
   * creates all rows, because there may be a thousand.
   */
  async ensure(channels: Readonly<Record<string, Pick<Channels[string], 'mode'>>>): Promise<void> {
    const reconcile = Object.values(channels).map(({ mode }) => (mode === 'pull' ? 'baseline' : null));
    await execute(
      this.db,
      sql`
      insert into channel (service, reconcile) select * from unnest(${Object.keys(channels)}::text[], ${reconcile}::text[])
      on conflict (service) do update set reconcile = excluded.reconcile where channel.reconcile is null and channel.drained_at is null`,
    );
  }

  /**
   * Writes the note of a drain and returns what the drain acknowledges. It is one statement, because it runs so often. If the last note is
   * still there and the platform does not wait for acknowledgements, events of that drain may be lost: a comparison is due, from the start.
   */
  async note(lease: Lease): Promise<Noted> {
    const { kind, name, owner, epoch } = lease;
    const at = this.clock.now();
    const noted = await one<{ stands: boolean; drain_lease: string | null; comparing: boolean }>(
      this.db,
      prepared(
        'channel_note',
        sql`
      with held as (
        select from lease where kind = ${kind} and name = ${name} and owner = ${owner} and epoch = ${epoch} for share),
      before as (
        select draining_since is not null as stands, drain_lease, draining_since is not null and drain_lease is null as lost
          from channel where service = ${name} for update),
      noted as (
        update channel
           set draining_since = ${at}, run = run + lost::int,
               reconcile = case when lost then 'compare' else reconcile end,
               reconcile_cursor = case when lost then null else reconcile_cursor end
          from before, held where service = ${name}
        returning stands, before.drain_lease, reconcile is not null as comparing)
      select stands, drain_lease, comparing from noted`,
      ),
    );
    if (!noted) throw new LeaseLost(lease);
    const { stands, drain_lease, comparing } = noted;
    const lost = stands && drain_lease === null;
    return { at, lost, awaited: stands && !lost, drain_lease, comparing };
  }

  /** Clears the note of a drain that took nothing. A former owner of the lease cannot do this: it would clear another drain's note. */
  async undrained(lease: Lease): Promise<void> {
    await this.db.transaction(async (tx) => {
      await fence(tx, lease);
      await execute(tx, sql`update channel set draining_since = null where service = ${lease.name}`);
    });
  }

  /** Prepares a drain without acknowledgements: from now on, a note that is left behind means that events were lost. */
  async unacknowledged(lease: Lease, at: Date): Promise<void> {
    await this.db.transaction(async (tx) => {
      await fence(tx, lease);
      await execute(tx, sql`update channel set draining_since = ${at}, drain_lease = null where service = ${lease.name}`);
    });
  }

  /** Clears the note, in the transaction that stores the events. The next drain acknowledges these events. */
  async drained(tx: Db, { name }: Lease, at: Date, drain_lease: string | null): Promise<void> {
    await execute(
      tx,
      prepared(
        'channel_drained',
        sql`
      update channel set drained_at = ${at}, draining_since = null, drain_lease = ${drain_lease} where service = ${name}`,
      ),
    );
  }

  /** Does the same in one statement when there was nothing to store. */
  async drainedNone(lease: Lease, at: Date, drain_lease: string | null): Promise<void> {
    const { kind, name, owner, epoch } = lease;
    const cleared = await one(
      this.db,
      prepared(
        'channel_drained_none',
        sql`
      with held as (
        select from lease where kind = ${kind} and name = ${name} and owner = ${owner} and epoch = ${epoch} for share)
      update channel set drained_at = ${at}, draining_since = null, drain_lease = ${drain_lease}
        from held where service = ${name}
      returning 1 as cleared`,
      ),
    );
    if (!cleared) throw new LeaseLost(lease);
  }

  /** Begins a comparison from the start, because events may have been lost. It needs no lease, because a comparison does no harm. */
  async compareAnew(service: string, db: Db = this.db): Promise<void> {
    await execute(db, sql`update channel set reconcile = 'compare', reconcile_cursor = null, run = run + 1 where service = ${service}`);
  }

  /** Returns those of the services for which a comparison is due or under way. */
  async comparing(services: readonly string[]): Promise<string[]> {
    const due = await many<{ service: string }>(
      this.db,
      sql`select service from channel where service = any(${services}::text[]) and reconcile is not null`,
    );
    return due.map(({ service }) => service);
  }

  async reconcileOf(service: string, db: Db = this.db): Promise<Reconcile | undefined> {
    return one<Reconcile>(
      db,
      sql`
      select reconcile, reconcile_cursor, run, drained_at from channel where service = ${service} and reconcile is not null`,
    );
  }

  /** Notes that a page was compared. Without a next page the comparison is complete. */
  async compared(db: Db, service: string, next_cursor: string | null): Promise<void> {
    await execute(
      db,
      sql`
      update channel set reconcile_cursor = ${next_cursor}, reconcile = case when ${next_cursor}::text is not null then reconcile end
       where service = ${service}`,
    );
  }

  /** Notes that a delivery cannot be opened. Returns the time since which no delivery could be opened. */
  async unopened(service: string): Promise<Date> {
    const now = this.clock.now();
    const channel = await one<{ unopened_since: Date }>(
      this.db,
      sql`
      update channel set unopened_since = coalesce(unopened_since, ${now}) where service = ${service} returning unopened_since`,
    );
    return channel?.unopened_since ?? now;
  }

  /** Notes that a delivery was opened or parked. The next delivery that cannot be opened starts a new time. */
  async opened(db: Db, service: string): Promise<void> {
    await execute(db, sql`update channel set unopened_since = null where service = ${service} and unopened_since is not null`);
  }
}
