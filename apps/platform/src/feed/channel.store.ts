import { FEED_RETENTION_DAYS } from '@cds/contracts';
import { many, one, prepared, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import { DELIVERY_STATES } from '../regions/index.ts';
import type { QueuedEvent } from './present-event.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The class of the advisory locks of channels: who drains one has its lock alone, who deletes a row that was delivered shares it. */
export const CHANNEL_LOCK = 0x66656564;

/** What is older is gone, whether or not its partition is. @spec D1-8 */
export const oldestKept = (now: Date): Date => new Date(now.getTime() - FEED_RETENTION_DAYS * DAY_MS);

/** One reader of a channel at a time, or a later event would overtake one that is given back. Fails with 55P03 when it takes too long. */
export async function lockChannel(tx: EntityManager, channel: string, { withinMs }: { withinMs: number }): Promise<void> {
  await one(
    tx,
    prepared(
      'feed_lock',
      sql`
    with setting as materialized (select set_config('lock_timeout', ${`${withinMs}ms`}, true))
    select pg_advisory_xact_lock(${CHANNEL_LOCK}, hashtext(${channel})) from setting`,
    ),
  );
}

/**
 * The oldest events of a channel, those that another transaction holds left out. An event is replaced when a newer one with its collapse
 * key waits behind it, however far. Taken first and measured after: 500 of a million cost as much as 500 of a thousand. Prepared: each day
 * of the feed is a table, and to plan for all of them takes longer than to read a few events. @spec D1-6.2
 */
export const oldest = (tx: EntityManager, channel: string, { now, limit }: { now: Date; limit: number }): Promise<QueuedEvent[]> =>
  many<QueuedEvent>(
    tx,
    prepared(
      'feed_oldest',
      sql`
    with oldest as materialized (
      select channel, seq, created_at, id, connection_id, collapse_key, body, traceparent from feed_event
       where channel = ${channel} and created_at > ${oldestKept(now)}
       order by channel, seq limit ${limit} for update skip locked)
    select seq, created_at, id, connection_id, body, traceparent,
           collapse_key is not null and exists (
             select from feed_event newer
              where newer.channel = oldest.channel and newer.collapse_key = oldest.collapse_key and newer.seq > oldest.seq) as is_replaced
      from oldest order by seq`,
    ),
  );

/** Deletes events of a channel that were delivered. The planner must not see which: it would weigh each for every day of the feed. */
export async function remove(tx: EntityManager, channel: string, seqs: readonly string[]): Promise<void> {
  if (seqs.length > 0)
    await many(
      tx,
      prepared('feed_remove', sql`delete from feed_event where channel = ${channel} and seq = any ((select ${seqs}::bigint[])::bigint[])`),
    );
}

/**
 * Which events a webhook of the service receives; undefined where it has no such webhook. Read here for the reason that `emit` reads it.
 */
export const eventsOf = async (
  db: Db,
  { webhook_id, service_id }: { webhook_id: string; service_id: string },
): Promise<string[] | undefined> =>
  (await one<{ events: string[] }>(db, sql`select events from webhook where webhook_id = ${webhook_id} and service_id = ${service_id}`))
    ?.events;

/** The channel of Postgres on which the delivery hears that a webhook, or what waits for it, is not what it was. */
export const WEBHOOK_NOTIFICATION = 'webhook_changed';

export const notifyDelivery = (tx: EntityManager, webhook_id: string): Promise<unknown> =>
  many(tx, sql`select pg_notify(${WEBHOOK_NOTIFICATION}, ${webhook_id})`);

/** Notes what a lease hands out, in place of the lease before it. @gap D1-4.3 */
export const putLease = (
  tx: EntityManager,
  { company_user_id, channel }: { company_user_id: string; channel: string },
  { lease, seqs, now }: { lease: string; seqs: readonly string[]; now: Date },
): Promise<unknown> =>
  many(
    tx,
    prepared(
      'feed_put_lease',
      sql`
    insert into feed_lease (channel, company_user_id, lease, seqs, created_at)
    values (${channel}, ${company_user_id}, ${lease}, ${seqs}::bigint[], ${now})
    on conflict (channel) do update set lease = excluded.lease, seqs = excluded.seqs, created_at = excluded.created_at`,
    ),
  );

/**
 * Deletes what the latest lease of the channel handed out, and says how much. One that is not the latest acknowledges nothing. @gap D1-4.3
 */
export async function acknowledge(tx: EntityManager, channel: string, lease: string): Promise<number> {
  const gone = await one<{ count: number }>(
    tx,
    prepared(
      'feed_acknowledge',
      sql`
    with held as (delete from feed_lease where channel = ${channel} and lease = ${lease} returning seqs),
    gone as (delete from feed_event where channel = ${channel} and seq = any ((select seqs from held)::bigint[]) returning 1)
    select count(*)::int as count from gone`,
    ),
  );
  return gone!.count;
}

/** Forgets leases of events that are gone; not of a company that moves, whose rows are being copied. */
export const forgetLeases = (db: Db, now: Date): Promise<unknown> =>
  many(db, sql`delete from feed_lease where created_at < ${oldestKept(now)} and exists (select from hold_homes(array[company_user_id]))`);

/** Waits for those who read these channels; whoever would not wait passes over them until the transaction ends. */
export const lockChannels = (tx: EntityManager, channels: readonly string[]): Promise<unknown> =>
  many(
    tx,
    sql`select pg_advisory_xact_lock(${CHANNEL_LOCK}, hashtext(channel)) from unnest(${channels}::text[]) channel
      order by hashtext(channel)`,
  );

/** Drops what waits in any channel of a service that is being deleted, and what the delivery has read of it; its webhooks still stand. */
export async function forgetService(tx: EntityManager, { service_id }: { service_id: string }): Promise<void> {
  const webhooks = await many<{ webhook_id: string }>(
    tx,
    sql`
    select webhook_id, pg_notify(${WEBHOOK_NOTIFICATION}, webhook_id) from webhook where service_id = ${service_id}`,
  );
  const channels = [service_id, ...webhooks.map(({ webhook_id }) => webhook_id)];
  await lockChannels(tx, channels);
  await many(tx, sql`delete from feed_event where channel = any (${channels})`);
}

/** Drops what waits in the own feed of a company that is deleted. */
export async function forgetCustomer(tx: EntityManager, user_id: string): Promise<void> {
  await lockChannels(tx, [user_id]);
  await removeChannel(tx, user_id);
}

/** Drops all that waits in a channel. Its lock is taken. */
export const removeChannel = (tx: EntityManager, channel: string): Promise<unknown> =>
  many(tx, sql`delete from feed_event where channel = ${channel}`);

/** Drops what has waited in a channel since before a moment, and says how much it was. */
export const purgeChannel = async (tx: EntityManager, channel: string, before: Date): Promise<number> =>
  (await many(tx, sql`delete from feed_event where channel = ${channel} and created_at <= ${before} returning seq`)).length;

/** Drops one event of a channel, and of those that replace each other all but the latest. @spec D1-6.2 */
export const removeWithReplaced = (tx: EntityManager, channel: string, seq: string): Promise<unknown> =>
  many(
    tx,
    sql`
    delete from feed_event e
     where e.channel = ${channel}
       and (e.seq = ${seq} or (e.collapse_key is not null and exists (
         select from feed_event n where n.channel = e.channel and n.collapse_key = e.collapse_key and n.seq > e.seq)))`,
  );

/** An event of a channel that was delivered. */
export interface DeliveredEvent {
  company_user_id: string;
  channel: string;
  seq: string;
  created_at: Date;
}

/**
 * Deletes what was delivered, of many channels in one statement: the next event of each waits for it. It holds the homes of the companies,
 * so that no copy of their rows begins meanwhile. It waits for nobody, or one slow reader would keep everybody waiting: a company that is
 * being copied and a channel that is being drained are left out. The times find the days' partitions when the statement is planned; here
 * they are known to the millisecond. Answers the channels whose events are gone.
 */
export async function removeDelivered(db: Db, delivered: readonly DeliveredEvent[]): Promise<ReadonlySet<string>> {
  const users = delivered.map(({ company_user_id }) => company_user_id);
  const times = delivered.map(({ created_at }) => created_at.getTime());
  const [oldest, newest] = [new Date(Math.min(...times)), new Date(Math.max(...times) + 1)];
  const rows = await many<{ channel: string }>(
    db,
    sql`
    with here as materialized (
      select user_id from hold_homes(${[...new Set(users)]}, ${DELIVERY_STATES}) user_id),
    done as materialized (
      select d.channel, d.seq from here
        join unnest(${users}::text[], ${delivered.map(({ channel }) => channel)}::text[],
          ${delivered.map(({ seq }) => seq)}::bigint[]) d (user_id, channel, seq)
       using (user_id)
       where pg_try_advisory_xact_lock_shared(${CHANNEL_LOCK}, hashtext(d.channel)))
    delete from feed_event e using done d
     where e.channel = d.channel and e.seq = d.seq and e.created_at >= ${oldest} and e.created_at < ${newest}
    returning e.channel`,
  );
  return new Set(rows.map(({ channel }) => channel));
}
