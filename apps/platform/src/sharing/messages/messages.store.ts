import { createHash } from 'node:crypto';
import { MESSAGE_PAGE_CHARS, type UnreadMessages } from '@codase/contracts';
import { many, one, sql, type Db, type Sql } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { ConnectionRow } from '../connections/index.ts';
import { newId } from '../../kit/ids.ts';
import type { Slice } from '../../kit/paging.ts';
import type { OwnService } from '../../services/services/index.ts';
import type { MessageEntity } from './message.entity.ts';

/** A message to store. Its connection is locked. */
interface NewMessage {
  connection: ConnectionRow;
  body: string;
  /** The key by which the sender identifies the message; when absent, its wrapper identifies it. */
  key?: string | undefined;
}

/** A stored message without its body, and whether this call stored it. */
export type StoredMessage = Pick<MessageEntity, 'message_id' | 'connection_id' | 'created_at'> & { is_new: boolean };

/**
 * Stores each message once. The same key on the same connection means the same message: it was sent before, or occurs twice in this call.
 * The same wrapper means the same message too, since it is sealed with random bytes. Returns one row for each message, in their order. The
 * times of messages on a connection only grow, whatever the clock says, since they define the order.
 */
export async function addMessages(
  tx: EntityManager,
  sender: MessageEntity['sender'],
  messages: readonly NewMessage[],
  now: Date,
): Promise<StoredMessage[]> {
  const rows = messages.map(({ connection, body, key }) => ({
    message_id: newId('msg'),
    company_user_id: connection.company_user_id,
    service_id: connection.service_id,
    connection_id: connection.connection_id,
    customer_user_id: connection.customer_user_id,
    body,
    repeat_hash: createHash('sha256')
      .update(key === undefined ? `body ${body}` : `key ${key}`)
      .digest('hex'),
  }));
  return many<StoredMessage>(tx)`
    with news as (
      select n.*, decode(n.repeat_hash, 'hex') as hash
        from rows from (json_to_recordset(${JSON.stringify(rows)}) as (
          message_id text, company_user_id text, service_id text, connection_id text, customer_user_id text, body text, repeat_hash text
        )) with ordinality n),
    known as (
      select m.message_id, m.connection_id, m.created_at, m.repeat_hash
        from (select distinct connection_id, hash from news) n
        join message m on m.connection_id = n.connection_id and m.sender = ${sender} and m.repeat_hash = n.hash),
    first as (
      select distinct on (connection_id, hash) * from news n
       where not exists (select from known k where k.connection_id = n.connection_id and k.repeat_hash = n.hash)
       order by connection_id, hash, ordinality),
    latest as (
      select c.connection_id, (select max(m.created_at) from message m where m.connection_id = c.connection_id) as at
        from (select distinct connection_id from first) c),
    added as (
      insert into message (message_id, company_user_id, service_id, connection_id, customer_user_id, sender, body, repeat_hash, created_at)
      select f.message_id, f.company_user_id, f.service_id, f.connection_id, f.customer_user_id, ${sender}, f.body, f.hash,
             greatest(${now}::timestamptz, coalesce(l.at + interval '1 millisecond', ${now}::timestamptz))
               + (row_number() over (partition by f.connection_id order by f.ordinality) - 1) * interval '1 millisecond'
        from first f join latest l on l.connection_id = f.connection_id
      returning message_id, connection_id, created_at, repeat_hash)
    select s.message_id, s.connection_id, s.created_at, s.is_added and s.message_id = n.message_id as is_new
      from news n
      join (select *, true as is_added from added union all select *, false from known) s
        on s.connection_id = n.connection_id and s.repeat_hash = n.hash
     order by n.ordinality`;
}

/** Finds a message of one side of a connection; undefined when that side has none with that id. */
export const findMessage = (
  tx: EntityManager,
  { connection_id }: ConnectionRow,
  sender: MessageEntity['sender'],
  message_id: string,
): Promise<Pick<MessageEntity, 'created_at'> | undefined> =>
  one<Pick<MessageEntity, 'created_at'>>(tx)`
    select created_at from message
     where message_id = ${message_id} and connection_id = ${connection_id} and sender = ${sender}`;

/** Marks the messages of one side as read, up to a moment. Returns whether any was unread. */
export const markRead = async (
  tx: EntityManager,
  { connection_id }: ConnectionRow,
  sender: MessageEntity['sender'],
  { upTo, now }: { upTo: Date; now: Date },
): Promise<boolean> =>
  (
    await many(tx)`
      update message set read_at = ${now}
       where connection_id = ${connection_id} and sender = ${sender} and created_at <= ${upTo} and read_at is null
      returning 1`
  ).length > 0;

/** Returns the messages of a connection, the newest first, as many as fit on a page, and whether there are more. */
export async function listMessages(
  db: Db,
  connection_id: string,
  { limit, after }: Slice,
): Promise<{ messages: MessageEntity[]; more: boolean }> {
  const rows = await many<MessageEntity & { found: number }>(db)`
    with newest as (
      select * from message
       where connection_id = ${connection_id} and (${after?.at ?? null}::timestamptz is null or created_at < ${after?.at ?? null})
       order by created_at desc limit ${limit + 1}),
    weighed as (
      select *, (count(*) over ())::int as found, row_number() over (order by created_at desc) as nth,
             sum(length(body)) over (order by created_at desc) - length(body) as before
        from newest)
    select * from weighed where nth <= ${limit} and (nth = 1 or before + length(body) <= ${MESSAGE_PAGE_CHARS})
     order by created_at desc`;
  return { messages: rows, more: (rows[0]?.found ?? 0) > rows.length };
}

/**
 * Returns the number of unread messages on each connection of a service, the connection that has waited longest first: one more row than
 * `limit`, to show whether there is a next page.
 */
export const listUnreadOfService = (db: Db, { company_user_id, service_id }: OwnService, { limit, after }: Slice): Promise<UnreadRow[]> =>
  many<UnreadRow>(db)`
    select * from (
      select connection_id, count(*)::int as unread, min(created_at) as oldest_at,
             (array_agg(message_id order by created_at))[1] as oldest_message_id
        from message
       where service_id = ${service_id} and company_user_id = ${company_user_id} and sender = 'person' and read_at is null
       group by connection_id) waiting
     where ${after?.id ?? null}::text is null or (oldest_at, connection_id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null})
     order by oldest_at, connection_id
     limit ${limit + 1}`;

/** The same for a customer, on all connections of this region, without a limit. */
export const listUnreadOfCustomer = (db: Db, customer_user_id: string): Promise<UnreadRow[]> =>
  many<UnreadRow>(db)`
    select m.connection_id, count(*)::int as unread, min(m.created_at) as oldest_at,
           (array_agg(m.message_id order by m.created_at))[1] as oldest_message_id
      from message m join profile p on p.user_id = m.company_user_id and p.home <> 'arriving'
     where m.customer_user_id = ${customer_user_id} and m.sender = 'company' and m.read_at is null
     group by m.connection_id
     order by 3, 1`;

export type UnreadRow = Omit<UnreadMessages, 'oldest_at'> & { oldest_at: Date };

/** Deletes messages whose retention is over, except those of a company that has begun to move: its rows are copied as they are. */
export const deleteOldMessages = (before: Date, most: number): Sql => sql`
  delete from message where message_id in
    (select message_id from message where created_at <= ${before} order by created_at limit ${most} for update skip locked)
     and exists (select from hold_homes(array[company_user_id]))
  returning 1`;
