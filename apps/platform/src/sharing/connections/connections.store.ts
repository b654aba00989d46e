import { Refusal } from '@codase/contracts';
import { column, execute, hasRow, many, one, prepared, sql, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { ListPosition, Slice } from '../../kit/paging.ts';
import type { HomeState } from '../../foundation/regions/index.ts';
import type { OwnService } from '../../services/services/index.ts';
import type { ConnectionRow } from './connection-row.ts';
import type { RequestOf } from './region-protocol.ts';

/** Adds a connection. Returns undefined when the customer is already connected to the service. */
export const addConnection = (tx: EntityManager, row: ConnectionRow): Promise<ConnectionRow | undefined> =>
  one<ConnectionRow>(tx)`
    insert into connection (connection_id, company_user_id, service_id, customer_user_id, customer_type,
                            display_name, share_code, public_key, connected_at)
    values (${row.connection_id}, ${row.company_user_id}, ${row.service_id}, ${row.customer_user_id}, ${row.customer_type},
            ${row.display_name}, ${row.share_code}, ${row.public_key}, ${row.connected_at})
    on conflict (service_id, customer_user_id) do nothing
    returning *`;

/** Finds the connection of a customer to a service and holds it until the transaction ends. Returns undefined when there is none. */
export const holdConnectionWith = (
  tx: EntityManager,
  { service_id }: OwnService,
  customer_user_id: string,
): Promise<ConnectionRow | undefined> =>
  one<ConnectionRow>(tx)`select * from connection where service_id = ${service_id} and customer_user_id = ${customer_user_id} for share`;

/** The same by the share code of the customer. */
export const holdConnectionWithCode = (
  tx: EntityManager,
  { service_id }: OwnService,
  share_code: string,
): Promise<ConnectionRow | undefined> =>
  one<ConnectionRow>(tx)`select * from connection where service_id = ${service_id} and share_code = ${share_code} for share`;

/** The same by the id of the connection. */
export const holdConnection = (tx: EntityManager, { service_id }: OwnService, connection_id: string): Promise<ConnectionRow | undefined> =>
  one<ConnectionRow>(tx)`select * from connection where connection_id = ${connection_id} and service_id = ${service_id} for share`;

/** Finds connections of a service, by their ids or by the ids of the customers, and holds them until the transaction ends. */
export const holdCustomers = (
  tx: EntityManager,
  { service_id }: OwnService,
  { connection_ids, user_ids }: { connection_ids: readonly string[]; user_ids: readonly string[] },
): Promise<ConnectionRow[]> =>
  many<ConnectionRow>(tx)`
    select * from connection
     where service_id = ${service_id}
       and (connection_id = any(${connection_ids}::text[]) or customer_user_id = any(${user_ids}::text[]))
     order by connection_id for share`;

/** Finds a connection of the service. A connection of another service is refused like one that does not exist. @spec D1-1 */
export const findConnection = async (db: Db, { company_user_id, service_id }: OwnService, connection_id: string): Promise<ConnectionRow> =>
  found(
    await one<ConnectionRow>(db)`
      select * from connection
       where connection_id = ${connection_id} and service_id = ${service_id} and company_user_id = ${company_user_id}`,
  );

/** Returns those of the named connections that belong to the service. @spec D1-1 */
export const findConnections = (
  db: Db,
  { company_user_id, service_id }: OwnService,
  connection_ids: readonly string[],
): Promise<ConnectionRow[]> =>
  many<ConnectionRow>(db)`
    select * from connection
     where connection_id = any(${connection_ids}::text[]) and service_id = ${service_id} and company_user_id = ${company_user_id}`;

/**
 * Locks connections before they or their data are changed, so that changes come one after the other. It first holds their services, in the
 * same order as a publication of request fields or a deletion of a service, so that the request fields do not change meanwhile. A
 * connection that has ended is left out.
 */
export async function lockConnections(tx: EntityManager, some: readonly ConnectionKey[]): Promise<ConnectionRow[]> {
  const services = some.map(({ service_id }) => service_id);
  const connections = some.map(({ connection_id }) => connection_id);
  return many<ConnectionRow>(
    tx,
    prepared(
      'connections_lock',
      sql`
      with held as materialized (
        select service_id from service where service_id = any(${services}::text[]) order by service_id for share)
      select connection_id, company_user_id, service_id, customer_user_id, customer_type, display_name, share_code, public_key, connected_at
        from connection where (select count(*) from held) >= 0 and connection_id = any(${connections}::text[])
       order by connection_id for update`,
    ),
  );
}

type ConnectionKey = Pick<ConnectionRow, 'service_id' | 'connection_id'>;

/** Locks one connection, and refuses when it has ended. */
export const lockConnection = async (tx: EntityManager, connection: ConnectionKey): Promise<ConnectionRow> =>
  found((await lockConnections(tx, [connection]))[0]);

/** Notes when the customer takes answers back. Returns false when the same moment was noted before: then the request is a repeat. */
export const noteDrop = (tx: EntityManager, connection_id: string, as_of: Date): Promise<boolean> =>
  hasRow(tx)`
    update connection set dropped_as_of = ${as_of}
     where connection_id = ${connection_id} and dropped_as_of is distinct from ${as_of}
    returning connection_id`;

/** Finds a customer's own connection. Its company may be moving to this region or away from it. */
export const findOfCustomer = async (db: Db, user_id: string, connection_id: string): Promise<ConnectionRow> =>
  found(
    await one<ConnectionRow>(db)`
      select * from connection where connection_id = ${connection_id} and customer_user_id = ${user_id}`,
  );

/** Whether a customer is connected to a company. */
export const isConnected = (db: Db, user_id: string, company_user_id: string): Promise<boolean> =>
  hasRow(db)`
    select from connection where customer_user_id = ${user_id} and company_user_id = ${company_user_id} limit 1`;

/** Returns the companies that the customer is connected to and that are moving to this region. */
export function listArriving(db: Db, user_id: string): Promise<string[]> {
  return column<string>(db)`
    select distinct c.company_user_id
      from connection c join profile p on p.user_id = c.company_user_id and p.home = 'arriving'
     where c.customer_user_id = ${user_id}`;
}

/** A connection, and the state of its company in this region. */
export type ConnectionAtHome = Pick<ConnectionRow, 'connection_id' | 'service_id' | 'company_user_id'> & { home: HomeState };

/** Returns the connections of a customer that this region has rows of. */
export const listHomesOfConnections = (db: Db, customer_user_id: string): Promise<ConnectionAtHome[]> =>
  many<ConnectionAtHome>(db)`
    select c.connection_id, c.service_id, c.company_user_id, p.home
      from connection c join profile p on p.user_id = c.company_user_id
     where c.customer_user_id = ${customer_user_id}
     order by c.connection_id`;

/** Returns the connections of a company to customers whose account was deleted. */
export const listDeletedCustomers = (tx: EntityManager, company_user_id: string): Promise<ConnectionKey[]> =>
  many<ConnectionKey>(tx)`
    select c.connection_id, c.service_id from connection c join deleted_account d on d.user_id = c.customer_user_id
     where c.company_user_id = ${company_user_id}`;

function found<Row>(row: Row | undefined): Row {
  if (!row) throw new Refusal('company_data.connection_not_found');
  return row;
}

/** A connection of a list, and how many characters its values have together. */
export type WeighedConnection = ConnectionRow & { weight: number };

/** Returns connections of a service, the oldest first: one more than `limit`, to show whether there is a next page. */
export const listConnections = (db: Db, own: OwnService, { limit, after }: Slice): Promise<WeighedConnection[]> =>
  many<WeighedConnection>(db)`
    select c.*, coalesce((select sum(length(v.value)) from shared_value v where v.connection_id = c.connection_id), 0)::int as weight
      from connection c
     where c.service_id = ${own.service_id} and c.company_user_id = ${own.company_user_id}
       and (${after?.id ?? null}::text is null
            or (c.connected_at, c.connection_id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
     order by c.connected_at, c.connection_id
     limit ${limit + 1}`;

/** Returns the list positions of the connections of a customer, the oldest first, without those to some companies. */
export const listPositions = (
  db: Db,
  { user_id, limit, after }: RequestOf<'places'>,
  without: readonly string[],
): Promise<ListPosition[]> =>
  many<ListPosition>(db)`
    select connected_at as at, connection_id as id
      from connection
     where customer_user_id = ${user_id} and company_user_id <> all(${without}::text[])
       and (${after?.id ?? null}::text is null
            or (connected_at, connection_id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
     order by connected_at, connection_id
     limit ${limit}`;

/** Finds a connection by its id alone, whatever its service and customer. */
export const findById = (db: Db, connection_id: string): Promise<ConnectionRow | undefined> =>
  one<ConnectionRow>(db)`select * from connection where connection_id = ${connection_id}`;

/** The same, and locks it. */
export const lockById = (tx: EntityManager, connection_id: string): Promise<ConnectionRow | undefined> =>
  one<ConnectionRow>(tx)`select * from connection where connection_id = ${connection_id} for update`;

/** Deletes a connection, and with it all that was shared on it. @spec D1-6.1 */
export const removeConnection = (tx: EntityManager, connection_id: string) =>
  execute(tx)`delete from connection where connection_id = ${connection_id}`;
