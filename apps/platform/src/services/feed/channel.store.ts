import { FEED_RETENTION_DAYS } from '@codase/contracts';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { DELIVERY_STATES } from '../../foundation/regions/index.ts';
import type { FeedEventEntity } from './feed-event.entity.ts';
import type { QueuedEvent } from './present-event.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The class of the advisory locks of channels: a drain takes its channel's exclusively, a deletion of delivered rows shares it. */
export const CHANNEL_LOCK = 0x66656564;
/**
 * The advisory lock of the feed's partitions. A drain shares it, and the database functions that make or drop a day take it exclusively:
 * otherwise a table would never be free while one drain after the other is being sent.
 */
const PARTITIONS_LOCK = 0x64617973;
/** How many events are deleted in one transaction: so few that the statement does not come near its timeout, whatever the events hold. */
const REMOVED_AT_ONCE = 5000;

/** A channel, and the company that it belongs to: rows of a channel take effect when they are of that company. */
export interface OwnChannel {
  company_user_id: string;
  channel: string;
}

/** Returns the moment before which events are not served any more, even while their partition still exists. @spec D1-8 */
export const oldestKept = (now: Date): Date => new Date(now.getTime() - FEED_RETENTION_DAYS * DAY_MS);

/** Locks a channel for one reader, and keeps the partitions: events would overtake each other with two. Fails with 55P03 in the end. */
export async function lockChannel(tx: EntityManager, channel: string, { withinMs }: { withinMs: number }): Promise<void> {
  await one(tx, 'feed_lock')`
    with setting as materialized (select set_config('lock_timeout', ${`${withinMs}ms`}, true))
    select pg_advisory_xact_lock_shared(${PARTITIONS_LOCK}), pg_advisory_xact_lock(${CHANNEL_LOCK}, hashtext(${channel})) from setting`;
}

/**
 * Returns the oldest events of a channel, without those that another transaction has locked. An event is replaced when a newer one with its
 * collapse key waits anywhere behind it. The events are selected first and checked afterwards, so that 500 of a million cost as much as 500
 * of a thousand. The statement is prepared: each day of the feed is a table, and planning for all of them takes longer than reading a few
 * events. @spec D1-6.2
 */
export const oldest = (tx: EntityManager, { company_user_id, channel }: OwnChannel, { now, limit }: { now: Date; limit: number }) =>
  many<QueuedEvent>(tx, 'feed_oldest')`
    with oldest as materialized (
      select company_user_id, channel, seq, created_at, id, connection_id, collapse_key, body, traceparent from feed_event
       where channel = ${channel} and company_user_id = ${company_user_id} and created_at > ${oldestKept(now)}
       order by channel, seq limit ${limit} for update skip locked)
    select seq, created_at, id, connection_id, body, traceparent,
           collapse_key is not null and exists (
             select from feed_event newer
              where newer.channel = oldest.channel and newer.company_user_id = oldest.company_user_id
                and newer.collapse_key = oldest.collapse_key and newer.seq > oldest.seq) as is_replaced
      from oldest order by seq`;

/** Deletes delivered events. Their numbers stand in a subquery: the planner would check each of them against every day of the feed. */
export async function remove(tx: EntityManager, channel: string, events: readonly QueuedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await execute(tx, 'feed_remove')`
    delete from feed_event where channel = ${channel} and seq = any ((select ${events.map(({ seq }) => seq)}::bigint[])::bigint[])`;
}

/** Returns the kinds of events that a webhook receives; undefined when the service has no such webhook. It is read here as in `emit`. */
export const eventsOf = async (
  db: Db,
  { webhook_id, service_id }: { webhook_id: string; service_id: string },
): Promise<string[] | undefined> =>
  (await one<{ events: string[] }>(db)`select events from webhook where webhook_id = ${webhook_id} and service_id = ${service_id}`)?.events;

/** The Postgres channel that notifies the delivery when a webhook, or its waiting events, have changed. */
export const WEBHOOK_NOTIFICATION = 'webhook_changed';

export const notifyDelivery = (tx: EntityManager, webhook_id: string) =>
  execute(tx)`select pg_notify(${WEBHOOK_NOTIFICATION}, ${webhook_id})`;

/** Notes the events that a lease hands out, in place of the lease before it. @gap D1-4.3 */
export const putLease = (
  tx: EntityManager,
  { company_user_id, channel }: OwnChannel,
  { lease, seqs, now }: { lease: string; seqs: readonly string[]; now: Date },
) => many(tx, 'feed_put_lease')`
  insert into feed_lease (channel, company_user_id, lease, seqs, created_at)
  values (${channel}, ${company_user_id}, ${lease}, ${seqs}::bigint[], ${now})
  on conflict (channel) do update
    set company_user_id = excluded.company_user_id, lease = excluded.lease, seqs = excluded.seqs, created_at = excluded.created_at`;

/** Deletes the events that the latest lease of the channel handed out, and returns how many. Other leases have none. @gap D1-4.3 */
export async function acknowledge(tx: EntityManager, channel: string, lease: string): Promise<number> {
  const gone = await one<{ count: number }>(tx, 'feed_acknowledge')`
    with held as (delete from feed_lease where channel = ${channel} and lease = ${lease} returning seqs),
    gone as (delete from feed_event where channel = ${channel} and seq = any ((select seqs from held)::bigint[]) returning 1)
    select count(*)::int as count from gone`;
  return gone!.count;
}

/** Deletes leases whose events are too old to be served; not those of a company that moves, whose rows are being copied. */
export const forgetLeases = (db: Db, now: Date) => execute(db)`
  delete from feed_lease
   where created_at < ${oldestKept(now)}
     and (exists (select from hold_homes(array[company_user_id])) or not exists (select from profile where user_id = company_user_id))`;

/** Locks channels until the transaction ends, and waits for their readers. Statements that wait for no lock skip them meanwhile. */
export const lockChannels = (tx: EntityManager, channels: readonly string[]) => many(tx)`
  select pg_advisory_xact_lock(${CHANNEL_LOCK}, hashtext(channel)) from unnest(${channels}::text[]) channel
    order by hashtext(channel)`;

/**
 * Deletes the waiting events and the leases of all channels of a service that is being deleted, and notifies the delivery of each webhook
 * to drop what it has read. The rows of the webhooks still exist. `forgetSome` has deleted all but the last events before.
 */
export async function forgetService(tx: EntityManager, service: { service_id: string }): Promise<void> {
  const channels = await channelsOf(tx, service);
  await lockChannels(tx, channels);
  await removeChannels(tx, channels);
}

/** Deletes some of the waiting events of a service that is being deleted, and returns how many: a feed may be long. */
export async function forgetSome(tx: EntityManager, service: { service_id: string }, most = REMOVED_AT_ONCE): Promise<number> {
  const channels = await channelsOf(tx, service);
  await lockChannels(tx, channels);
  let removed = 0;
  for (const channel of channels) if (removed < most) removed += await removeOldest(tx, channel, most - removed);
  return removed;
}

/** Returns the channels of a service, and notifies the delivery of each webhook. */
async function channelsOf(tx: EntityManager, { service_id }: { service_id: string }): Promise<string[]> {
  const webhooks = await many<{ webhook_id: string }>(tx)`
    select webhook_id, pg_notify(${WEBHOOK_NOTIFICATION}, webhook_id) from webhook where service_id = ${service_id}`;
  return [service_id, ...webhooks.map(({ webhook_id }) => webhook_id)];
}

/** Deletes the waiting events and the lease of the own feed of a company that is being deleted. */
export async function forgetCustomer(tx: EntityManager, user_id: string): Promise<void> {
  await lockChannels(tx, [user_id]);
  await removeChannel(tx, user_id);
}

/** Deletes all waiting events and the lease of a channel. The lock of the channel is taken. */
export const removeChannel = (tx: EntityManager, channel: string): Promise<unknown> => removeChannels(tx, [channel]);

/** Deletes some of the waiting events of a channel that does not exist any more, and returns how many. */
export async function removeSome(tx: EntityManager, channel: string, most = REMOVED_AT_ONCE): Promise<number> {
  await lockChannels(tx, [channel]);
  return removeOldest(tx, channel, most);
}

/** Deletes the oldest events of a channel. The lock of the channel is taken. */
async function removeOldest(tx: EntityManager, channel: string, most: number): Promise<number> {
  const removed = await one<{ count: number }>(tx)`
    with gone as (
      delete from feed_event
       where channel = ${channel}
         and seq <= (select max(seq) from (select seq from feed_event where channel = ${channel} order by seq limit ${most}) oldest)
      returning 1)
    select count(*)::int as count from gone`;
  return removed!.count;
}

/** Deletes the lease of a channel. */
export const removeLease = (tx: EntityManager, channel: string) => execute(tx)`delete from feed_lease where channel = ${channel}`;

async function removeChannels(tx: EntityManager, channels: readonly string[]): Promise<void> {
  await execute(tx)`delete from feed_event where channel = any (${channels})`;
  await execute(tx)`delete from feed_lease where channel = any (${channels})`;
}

/** Deletes the events of a channel that were created up to a moment, and returns how many. */
export const purgeChannel = async (tx: EntityManager, channel: string, before: Date): Promise<number> =>
  (await many(tx)`delete from feed_event where channel = ${channel} and created_at <= ${before} returning seq`).length;

/** Deletes one event of a channel, and every event that a newer one with the same collapse key replaces. @spec D1-6.2 */
export const removeWithReplaced = (tx: EntityManager, channel: string, seq: string) => execute(tx)`
  delete from feed_event e
   where e.channel = ${channel}
     and (e.seq = ${seq} or (e.collapse_key is not null and exists (
       select from feed_event n
        where n.channel = e.channel and n.company_user_id = e.company_user_id and n.collapse_key = e.collapse_key and n.seq > e.seq)))`;

/** An event of a channel that was delivered. */
type DeliveredEvent = Pick<FeedEventEntity, 'company_user_id' | 'channel' | 'seq' | 'created_at'>;

/**
 * Deletes delivered events of many channels in one statement: the next event of each channel waits for it. It holds the homes of the
 * companies, so that no copy of their rows begins meanwhile. It waits for no lock, or one slow reader would delay all: a company that is
 * being copied and a channel that is being drained are left out. The range of creation times lets the planner pick the partitions of the
 * days; these times are known here to the millisecond. Returns the channels whose events were deleted.
 */
export async function removeDelivered(db: Db, delivered: readonly DeliveredEvent[]): Promise<ReadonlySet<string>> {
  const users = delivered.map(({ company_user_id }) => company_user_id);
  const times = delivered.map(({ created_at }) => created_at.getTime());
  const [oldest, newest] = [new Date(Math.min(...times)), new Date(Math.max(...times) + 1)];
  const rows = await many<{ channel: string }>(db)`
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
    returning e.channel`;
  return new Set(rows.map(({ channel }) => channel));
}
