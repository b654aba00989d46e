import { Refusal, type CopyPlace } from '@cds/contracts';

/** A table of a region whose rows belong to companies, and go with them. */
export interface MovedTable {
  table: string;
  /** The column that names the company. */
  owner: string;
  /** The column that tells the rows of one company apart. */
  key: string;
  /** Members that say on which side of the move a row is: what they are on arrival, and never compared. */
  onArrival?: Readonly<Record<string, unknown>>;
  /** A function of the database that is told whose rows came. */
  arrived?: string;
}

/** Everything of a company, what is referred to first. A table that is not here is listed below, with the reason. @gap D1-5.6 */
export const MOVED_TABLES: readonly MovedTable[] = [
  { table: 'profile', owner: 'user_id', key: 'user_id', onArrival: { home: 'arriving', moving_to: null } },
  { table: 'service', owner: 'company_user_id', key: 'service_id' },
  { table: 'request_field', owner: 'company_user_id', key: 'service_field_id' },
  { table: 'webhook', owner: 'company_user_id', key: 'webhook_id' },
  { table: 'service_log', owner: 'company_user_id', key: 'log_id' },
  { table: 'mail', owner: 'company_user_id', key: 'mail_id' },
  { table: 'contact_field', owner: 'owner_user_id', key: 'slug' },
  { table: 'contact_value', owner: 'owner_user_id', key: 'slug' },
  { table: 'customer_company', owner: 'customer_user_id', key: 'company_user_id' },
  { table: 'connection', owner: 'company_user_id', key: 'connection_id' },
  { table: 'shared_value', owner: 'company_user_id', key: 'shared_value_id' },
  { table: 'shared_file', owner: 'company_user_id', key: 'piece_id' },
  { table: 'declined_field', owner: 'company_user_id', key: 'declined_field_id' },
  { table: 'feed_event', owner: 'company_user_id', key: 'id', arrived: 'feed_reach' },
];

/** Tables that stay where they are. */
export const STAYING_TABLES: Readonly<Record<string, string>> = {
  migrations: 'of the database itself',
  feed_lease: 'what nobody acknowledged comes again, at the new region too',
  move_turn: 'what this region heard of moves',
  rate_bucket: 'a full bucket at the new region is no harm',
  parcel_piece: 'what is on its way to an answer; who sent it sends it again',
  delivery_shard: 'who delivers here',
  delivery_process: 'who delivers here',
};

/** The table at a place of a copy. */
export function tableOf(name: string): MovedTable {
  const found = MOVED_TABLES.find(({ table }) => table === name);
  if (!found) throw new Refusal('request.invalid').because(`${name} is no table that moves: do both regions run the same version?`);
  return found;
}

/** Where a copy begins. */
export const FIRST_PLACE: CopyPlace = { table: MOVED_TABLES[0]!.table, after: null };

/** Where a copy goes on when a table is through. */
export function nextTable({ table }: CopyPlace): CopyPlace | undefined {
  const next = MOVED_TABLES[MOVED_TABLES.indexOf(tableOf(table)) + 1];
  return next && { table: next.table, after: null };
}
