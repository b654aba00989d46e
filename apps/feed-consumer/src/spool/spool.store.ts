import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { many, one, prepared, sql, together, transactionAtOnce, type Db, type Sql } from '@codase/runtime/db';
import { activeTraceparent } from '@codase/runtime/telemetry';
import { DataSource, type EntityManager } from 'typeorm';
import type { EventEntity, Mark } from './event.entity.ts';
import type { Spooled } from './spooled-event.ts';

/** A stored event on its way to the stream. */
export type Waiting = Omit<EventEntity, 'by_earlier'>;

/** Events that one transaction of this replica stored, in their order. */
export interface Fresh {
  events: readonly Waiting[];
  /** Whether no event of the service waited before them. Then no other event can come before them until they are published. */
  areFirst: boolean;
}

type Wake = (service: string, fresh: Fresh | undefined) => void;

/** What a transaction has done, and the events that it stored. */
interface Stored<T> {
  done: T;
  fresh: Fresh | undefined;
}

export interface Range {
  from: Date;
  to: Date;
  /** Limits the range to the event with this id. */
  event_id?: string | undefined;
  /** The sequence number after which the range continues. */
  after: string;
  most: number;
  mayWaitBytes: number;
}

/** A range of events that wait to be published again. */
interface Resent {
  /** The sequence numbers that the events had before. */
  positions: string[];
  /** How many events there were to send. Only the first of them that fit below the limit wait again: none when it was reached before. */
  found: number;
}

interface StoredRow {
  /** How many events were stored. */
  stored: number;
  /** Null when many events were stored. */
  seq: string | null;
  message_id: string;
  /** Whether no event of the service waited. This is read under the lock of the channel, so that no event is added before these. */
  is_first: boolean;
}

/** The messages of one stream: events, or messages that could not be read as an event. */
export type Kind = 'events' | 'unreadable';

/** The approximate size of a row and its indexes without the body. */
const ROW_BYTES = 1024;

/** At most so many events stored together are published without reading the spool: whole batches cost less for each event. */
const MAX_FRESH = 50;

/** How many events of one service a batch has while others have some: their next event waits for the batch under way too. */
const MAX_BESIDE_OTHERS = 60;
const BESIDE_OTHERS_MS = 60_000;

/**
 * The query for the oldest waiting messages. $1 whether unreadable, $2 the shards, $3 how many, $4 how many bytes, $5 the service of the
 * last turn, $6 how many of one service. The services with waiting messages are found one by one in the index, so services without any
 * cost nothing. The query looks at more messages of each service than its share, because other services may have fewer than theirs.
 */
const oldestOf = (body: string) => `
  with recursive found (service) as (
    (select service from waiting where unreadable = $1 order by service limit 1)
    union all
    select (select service from waiting where unreadable = $1 and service > found.service order by service limit 1)
      from found where service is not null),
  turn as (select service, least($6::bigint, 1 + 5 * $3::bigint / count(*) over ()) as most from found where service is not null),
  oldest as (
    select seen.*, row_number() over (order by nth, seen.service <= $5::text, seen.service) as place
      from turn cross join lateral (
      select service, seq, bytes, received_at, row_number() over (order by seq) as nth from waiting
       where unreadable = $1 and service = turn.service and shard = any($2::smallint[])
       order by seq limit turn.most) as seen
     order by place limit $3::bigint),
  weighed as (select *, sum(bytes) over (order by place) - bytes as before from oldest)
  select seq, service, message_id, shard, event_id, event, state_key, at, ${body} as body, mark, traceparent, received_at
    from weighed join event using (service, received_at, seq)
   where before < $4::bigint
   order by place`;
/** Events are JSON, and are read as text, which takes half as many bytes on the wire. */
const OLDEST = { events: oldestOf(`convert_from(body, 'UTF8')`), unreadable: oldestOf('body') } satisfies Record<Kind, string>;

/**
 * Makes Postgres use indexes only. Most of the time the table `waiting` is nearly empty, but it has many thousands of rows when speed
 * matters. A plan that was made for a nearly empty table reads the whole table, or all rows of a service, and sorts them: with 20,000 rows
 * this took two to four times as long.
 */
const INDEXES_ALONE = prepared(
  'spool_indexes_alone',
  sql`
  select set_config(name, 'off', true)
    from unnest('{enable_seqscan,enable_bitmapscan,enable_hashjoin,enable_mergejoin}'::text[]) as name`,
);

/** Returns the events that were stored, as a query of the spool would return them. */
function freshOf(
  rows: readonly StoredRow[],
  events: readonly Spooled[],
  { here, ...alike }: Pick<Waiting, 'service' | 'mark' | 'received_at'> & { here: string | null },
): Waiting[] {
  const given = new Map(events.toReversed().map((event) => [event.message_id, event]));
  return rows.flatMap(({ seq, message_id }) => {
    const event = given.get(message_id);
    return seq && event ? [{ ...event, ...alike, traceparent: event.traceparent ?? here, seq }] : [];
  });
}

/**
 * Stores received events. An event is written once, and kept for a while after it is published, so that a repeat is recognised and a range
 * can be sent again. A short row in `waiting` says that it is not published yet. An event that is stored here cannot get lost any more.
 */
@Injectable()
export class Spool {
  private readonly lastTurn: Record<Kind, string> = { events: '', unreadable: '' };
  /** Whether messages may wait: some were stored here, or the last query found some. */
  private readonly mayWait: Record<Kind, boolean> = { events: true, unreadable: true };
  /** The service of the last event that was read, and when the service last changed from one event to the next. */
  private served: string | undefined;
  private besideOthersAt = -Infinity;
  private readonly wakes = new Set<Wake>();
  /** The events that transactions have added which are not committed yet. */
  private readonly added = new WeakMap<Db, Fresh>();

  constructor(
    private readonly db: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Calls back when this replica has stored something. The call has the new events, unless stored events were sent again. */
  onStored(wake: Wake): void {
    this.wakes.add(wake);
  }

  /**
   * Runs the work in a transaction, one at a time for each service, so that events are numbered in the order in which they came. Then it
   * wakes the workers that publish. The first statements of the work are sent together with the lock, and run after it.
   */
  async transaction<T>(service: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.waking(service, await this.db.transaction((tx) => this.locked(tx, service, work)));
  }

  /** Does the same in one packet, with work that begins all its statements before it waits (see `transactionAtOnce`). */
  async transactionAtOnce<T>(service: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.waking(service, await transactionAtOnce(this.db, (tx) => this.locked(tx, service, work)));
  }

  private async locked<T>(tx: EntityManager, service: string, work: (tx: EntityManager) => Promise<T>): Promise<Stored<T>> {
    const lock = prepared('spool_lock', sql`select 1 as locked from channel where service = ${service} for update`);
    const [, done] = await together([one(tx, lock), work(tx)]);
    return { done, fresh: this.added.get(tx) };
  }

  private waking<T>(service: string, { done, fresh }: Stored<T>): T {
    this.mayWait.events = this.mayWait.unreadable = true;
    for (const wake of this.wakes) wake(service, fresh);
    return done;
  }

  /** Adds events in order and leaves out those that are already stored. Returns how many were new. */
  async add(tx: Db, service: string, events: readonly Spooled[], mark: Mark | null = null): Promise<number> {
    if (events.length === 0) return 0;
    const column = <K extends keyof Spooled>(name: K) => events.map((event) => event[name]);
    // The trace in which the events are stored. The trace of a webhook's delivery leads back to the change.
    const here = activeTraceparent();
    const bodies = column('body');
    const now = this.clock.now();
    const rows = await many<StoredRow>(
      tx,
      // The bodies are sent as one parameter, in bytes: as an array they would be text of twice the length.
      prepared(
        'spool_add',
        sql`
      with stored as (
        insert into event (service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at)
        select ${service}, message_id, shard, event_id, event, state_key, at, substring(${Buffer.concat(bodies)}::bytea, starts, bytes),
               ${mark}::text, traceparent, ${now}
          from unnest(${column('message_id')}::text[], ${column('shard')}::smallint[], ${column('event_id')}::text[],
                      ${column('event')}::text[], ${column('state_key')}::text[],
                      ${events.map(({ at }) => at.toISOString())}::timestamptz[],
                      ${startsOf(bodies)}::integer[], ${bodies.map(({ length }) => length)}::integer[],
                      ${events.map((event) => event.traceparent ?? here)}::text[])
               with ordinality as given (message_id, shard, event_id, event, state_key, at, starts, bytes, traceparent, nth)
         order by nth
            on conflict (service, message_id) do nothing
         returning event is null as unreadable, service, seq, message_id, shard, length(body) as bytes, received_at),
      put as (
        insert into waiting (unreadable, service, seq, shard, bytes, received_at)
        select unreadable, service, seq, shard, bytes, received_at from stored)
      select counted.stored, few.seq, few.message_id,
             not exists (select from waiting where unreadable = false and waiting.service = ${service}) as is_first
        from (select count(*)::integer as stored from stored) counted left join stored few on ${events.length <= MAX_FRESH}::boolean
       order by few.seq`,
      ),
    );
    const areFirst = !this.added.has(tx) && events.length <= MAX_FRESH && rows[0]!.is_first;
    this.added.set(tx, { events: areFirst ? freshOf(rows, events, { service, mark, received_at: now, here }) : [], areFirst });
    return rows[0]!.stored;
  }

  /**
   * Returns the oldest messages of some shards, up to a number and a size, but at least one if there is one. The services take turns, each
   * with its oldest messages: thousands of messages of one service do not go before the few of another.
   */
  async oldest(kind: Kind, shards: readonly number[], { most, bytes }: { most: number; bytes: number }): Promise<Waiting[]> {
    if (!this.mayWait[kind] && !(await this.waits(kind))) return [];
    const values = [kind === 'unreadable', shards, most, bytes, this.lastTurn[kind], this.isBesideOthers() ? MAX_BESIDE_OTHERS : most];
    const oldest = await this.byIndexes<Waiting>(prepared(`spool_oldest_${kind}`, { text: OLDEST[kind], values }));
    this.lastTurn[kind] = oldest.at(-1)?.service ?? '';
    this.mayWait[kind] = oldest.length > 0;
    for (const { service } of oldest) this.noteTurn(service);
    return oldest.map((one) => ({ ...one, body: Buffer.from(one.body) }));
  }

  private noteTurn(service: string): void {
    if (this.served !== undefined && this.served !== service) this.besideOthersAt = this.clock.now().getTime();
    this.served = service;
  }

  private isBesideOthers(): boolean {
    return this.clock.now().getTime() - this.besideOthersAt < BESIDE_OTHERS_MS;
  }

  /** Whether messages wait. One short statement replaces a transaction: most looks are for what other replicas stored, and find none. */
  private async waits(kind: Kind): Promise<boolean> {
    const waiting = prepared('spool_waits', sql`select 1 as waits from waiting where unreadable = ${kind === 'unreadable'} limit 1`);
    return (await one(this.db, waiting)) !== undefined;
  }

  /** Whether more than `events` events of a service wait. */
  async isWaiting(service: string, events: number): Promise<boolean> {
    const beyond = sql`select 1 as beyond from waiting where not unreadable and service = ${service} order by seq offset ${events} limit 1`;
    return (await one(this.db, prepared('spool_is_waiting', beyond))) !== undefined;
  }

  /** Notes that the stream holds the events: they no longer wait, and are kept for a while. */
  async published(kind: Kind, events: readonly Waiting[]): Promise<void> {
    await this.byIndexes(
      prepared(
        'spool_published',
        sql`
      delete from waiting
       using unnest(${events.map(({ service }) => service)}::text[], ${events.map(({ seq }) => seq)}::bigint[]) as event (service, seq)
       where unreadable = ${kind === 'unreadable'} and waiting.service = event.service and waiting.seq = event.seq`,
      ),
    );
  }

  /**
   * Lets a stored range wait to be published again, in its order, as far as it fits below the limit. With a `resend_id` the events are
   * copies with ids of their own. Without one they keep their ids, for a stream that has lost them, and unreadable messages are included.
   * The events come after all that is stored, so an event that a newer one has replaced is left out: it would put an old state last.
   * @gap D1-6
   */
  async resend(service: string, resend_id: string | null, range: Range): Promise<Resent> {
    const { from, to, event_id, after, most, mayWaitBytes } = range;
    const now = this.clock.now();
    const resent = await this.transaction(service, (tx) =>
      one<Resent>(
        tx,
        sql`
      with waits as (
        select coalesce(sum(bytes + ${ROW_BYTES}), 0) as bytes from waiting
         where unreadable = any('{false,true}'::boolean[]) and service = ${service}),
      found as (
        select *, sum(length(body) + ${ROW_BYTES}) over (order by seq) - length(body) - ${ROW_BYTES} as before from (
          select * from event as old
           where service = ${service} and received_at >= ${from} and received_at < ${to} and seq > ${after}
             and (${event_id ?? null}::text is null or event_id = ${event_id ?? null})
             and mark is distinct from 'resent' and (event is not null or ${resend_id}::text is null)
             and not exists (
               select from waiting where unreadable = (old.event is null) and waiting.service = old.service and waiting.seq = old.seq)
             and not exists (
               select from event as newer
                where newer.service = old.service and newer.state_key in (old.state_key, split_part(old.state_key, '/', 1))
                  and newer.seq > old.seq and newer.mark is distinct from 'resent')
           order by seq limit ${most}) as oldest),
      range as (
        select *, nextval(pg_get_serial_sequence('event', 'seq')) as place from (
          select found.* from found cross join waits where waits.bytes + before < ${mayWaitBytes}::bigint order by seq) as fitting),
      moved as (
        update event set seq = place, received_at = ${now}
          from range where ${resend_id}::text is null and event.service = range.service and event.message_id = range.message_id),
      copied as (
        insert into event (seq, service, message_id, shard, event_id, event, state_key, at, body, mark, traceparent, received_at)
        select place, service, message_id || ':' || ${resend_id}::text, shard, event_id, event, state_key, at, body, 'resent', traceparent,
               ${now}
          from range where ${resend_id}::text is not null),
      again as (
        insert into waiting (unreadable, service, seq, shard, bytes, received_at)
        select event is null, service, place, shard, length(body), ${now} from range)
      select array(select range.seq::text from range order by range.seq) as positions, (select count(*)::integer from found) as found`,
      ),
    );
    return resent!;
  }

  private async byIndexes<Row>(query: Sql): Promise<Row[]> {
    const [, rows] = await transactionAtOnce(this.db, (tx) => together([many(tx, INDEXES_ALONE), many<Row>(tx, query)]));
    return rows;
  }

  /** Returns how many bytes of these services wait, with the size of their rows. */
  async sizes(services: readonly string[]): Promise<Map<string, number>> {
    const rows = await many<{ service: string; bytes: number }>(
      this.db,
      sql`
      select service, sum(bytes + ${ROW_BYTES})::float8 as bytes from waiting
       where unreadable = any('{false,true}'::boolean[]) and service = any(${services}::text[]) group by service`,
    );
    return new Map(rows.map(({ service, bytes }) => [service, bytes]));
  }

  /** Deletes published events that are older than `before`, at most `most` of them. Returns how many. */
  async forget(before: Date, most: number): Promise<number> {
    const gone = await many(
      this.db,
      sql`
      delete from event where ctid in (
        select old.ctid from channel cross join lateral (
          select ctid from event
           where event.service = channel.service and received_at < ${before}
             and not exists (
               select from waiting where unreadable = (event.event is null) and waiting.service = event.service and waiting.seq = event.seq)
           limit ${most}) as old
         limit ${most})
      returning 1 as gone`,
    );
    return gone.length;
  }
}

/** Returns where each body begins in the concatenation of all, counted from 1. */
function startsOf(bodies: readonly Buffer[]): number[] {
  let next = 1;
  return bodies.map(({ length }) => (next += length) - length);
}
