import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { many, one, sql, type Db } from '@cds/runtime/db';
import { activeTraceparent } from '@cds/runtime/telemetry';
import { DataSource, type EntityManager } from 'typeorm';
import type { Mark, Spooled } from './spooled.ts';

/** A stored event on its way to the stream. */
export interface Waiting extends Spooled {
  seq: string;
  service: string;
  mark: Mark | null;
  received_at: Date;
}

export interface Range {
  from: Date;
  to: Date;
  /** Only the one with this id. */
  event_id?: string | undefined;
  /** The sequence number to go on after. */
  after: string;
  most: number;
}

/** What goes to one stream: events, or what could not be read as one. */
export type Kind = 'events' | 'unreadable';

/** Each by an index of its own: $1 the shards, $2 how many, $3 how many bytes. */
const oldestOf = (kind: string) => `
  select seq, service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at
    from (select *, sum(length(body)) over (order by seq) - length(body) as before
            from (select * from spool where shard = any($1::smallint[]) and ${kind} order by seq limit $2) as oldest) as weighed
   where before < $3
   order by seq`;
const OLDEST_EVENTS = oldestOf('event is not null');
const OLDEST_UNREADABLE = oldestOf('event is null');

/** Events that were received and are not published yet. What is stored here is not lost any more. */
@Injectable()
export class Spool {
  private readonly wakes = new Set<() => void>();

  constructor(
    private readonly db: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Calls back when this replica has stored something. */
  onStored(wake: () => void): void {
    this.wakes.add(wake);
  }

  /**
   * Stores within one transaction, one at a time for each service, so that events are numbered in the order they came; then wakes
   * whoever publishes.
   */
  async transaction<T>(service: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const done = await this.db.transaction(async (tx) => {
      await one(tx, sql`select 1 as locked from channel where service = ${service} for update`);
      return work(tx);
    });
    for (const wake of this.wakes) wake();
    return done;
  }

  /** Adds events in order, leaving out those that came before. Answers how many were new. */
  async add(tx: Db, service: string, events: readonly Spooled[], mark: Mark | null = null): Promise<number> {
    if (events.length === 0) return 0;
    const column = <K extends keyof Spooled>(name: K) => events.map((event) => event[name]);
    // The trace in which events are stored: that of a webhook's delivery leads back to the change.
    const here = activeTraceparent();
    const stored = await many(
      tx,
      sql`
      insert into spool (service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at)
      select ${service}, message_id, shard, event_id, event, state_key, at, body, ${mark}::text, traceparent, ${this.clock.now()}
        from unnest(${column('message_id')}::text[], ${column('shard')}::smallint[], ${column('event_id')}::text[],
                    ${column('event')}::text[], ${column('state_key')}::text[], ${column('at')}::timestamptz[], ${column('body')}::bytea[],
                    ${events.map((event) => event.traceparent ?? here)}::text[])
             with ordinality as given (message_id, shard, event_id, event, state_key, at, body, traceparent, nth)
       where not exists (select from published where service = ${service} and published.message_id = given.message_id)
       order by nth
          on conflict (service, message_id) do nothing
       returning 1 as stored`,
    );
    return stored.length;
  }

  /** The oldest of some shards, up to a number and a size; at least one, if there is one. */
  async oldest(kind: Kind, shards: readonly number[], { most, bytes }: { most: number; bytes: number }): Promise<Waiting[]> {
    const oldest = kind === 'events' ? OLDEST_EVENTS : OLDEST_UNREADABLE;
    return many<Waiting>(this.db, { text: oldest, values: [shards, most, bytes] });
  }

  /** The stream holds them: they leave the spool, and are kept for a while. */
  async published(events: readonly Waiting[]): Promise<void> {
    await many(
      this.db,
      sql`
      with gone as (delete from spool where seq = any(${events.map(({ seq }) => seq)}::bigint[]) returning *)
      insert into published
             (seq, service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at)
      select seq, service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at from gone
          on conflict (service, message_id) do nothing`,
    );
  }

  /**
   * Puts a stored range into the spool again, in its order; answers their places. With a `resend_id` the copies have ids of their own;
   * without one they keep the ids they had, for streams that have lost them, and what could not be read is among them. It comes behind all
   * that is stored: what a newer event of the same state has replaced would put an old state last, and is left out. @gap D1-6
   */
  async resend(service: string, resend_id: string | null, { from, to, event_id, after, most }: Range): Promise<string[]> {
    const now = this.clock.now();
    const rows = await this.transaction(service, (tx) =>
      many<{ seq: string }>(
        tx,
        sql`
      with range as (
        select * from published as old
         where service = ${service} and received_at >= ${from} and received_at < ${to} and seq > ${after}
           and (${event_id ?? null}::text is null or event_id = ${event_id ?? null})
           and mark is distinct from 'resent' and (event is not null or ${resend_id}::text is null)
           and not exists (
             select from (select service, state_key, seq, mark from published
                          union all select service, state_key, seq, mark from spool) as newer
              where newer.service = old.service and newer.state_key in (old.state_key, split_part(old.state_key, '/', 1))
                and newer.seq > old.seq and newer.mark is distinct from 'resent')
         order by seq limit ${most}),
      moved as (
        delete from published using range
         where ${resend_id}::text is null and published.service = range.service and published.message_id = range.message_id),
      again as (
        insert into spool (service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at)
        select service, message_id || coalesce(':' || ${resend_id}::text, ''), shard, event_id, event, state_key, at, body,
               case when ${resend_id}::text is null then mark else 'resent' end, traceparent, ${now}
          from range order by seq on conflict do nothing)
      select seq from range order by seq`,
      ),
    );
    return rows.map(({ seq }) => seq);
  }

  /** Forgets published events after their time, some at once. Answers how many. */
  async forget(before: Date, most: number): Promise<number> {
    const gone = await many(
      this.db,
      sql`
      delete from published where ctid in (select ctid from published where received_at < ${before} limit ${most}) returning 1 as gone`,
    );
    return gone.length;
  }
}
