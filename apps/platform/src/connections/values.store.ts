import type { Verification } from '@cds/contracts';
import { many, one, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import { newId } from '../ids.ts';
import type { ConnectionRow, SharedValueRow } from './connection-row.ts';
import { piecesOf } from './shared-file.ts';

/** What some connections share, in the order it was asked for. */
export const listValues = (db: Db, connection_ids: readonly string[]): Promise<SharedValueRow[]> =>
  many<SharedValueRow>(db, sql`
    select v.*, f.slug, f.label, f.type
      from shared_value v join request_field f using (service_field_id)
     where v.connection_id = any(${connection_ids}::text[])
     order by v.connection_id, f.position`);

/** One answer of a connection. */
export const findValue = (db: Db, connection_id: string, service_field_id: string): Promise<SharedValueRow | undefined> =>
  one<SharedValueRow>(db, sql`
    select v.*, f.slug, f.label, f.type
      from shared_value v join request_field f using (service_field_id)
     where v.connection_id = ${connection_id} and v.service_field_id = ${service_field_id}`);

/** An answer as it is stored: a text, or a file with its digest. */
export interface NewValue {
  service_field_id: string;
  content: string;
  file_sha256: string | null;
  live: boolean;
  source_private: boolean;
  source_field: string | null;
  verification: Verification;
  updated_at: Date;
  expires_at: Date | null;
}

/** Puts an answer in place of the one before, of which nothing is left. The connection is locked. */
export async function putValue(tx: EntityManager, { company_user_id, connection_id }: ConnectionRow, given: NewValue): Promise<void> {
  const { service_field_id, content, file_sha256, live, source_private, source_field, verification, updated_at, expires_at } = given;
  await removeValues(tx, connection_id, [service_field_id]);
  const shared_value_id = newId('val');
  await many(tx, sql`
    insert into shared_value (shared_value_id, company_user_id, connection_id, service_field_id, value, file_sha256, live,
                              source_private, source_field, verification, updated_at, expires_at)
    values (${shared_value_id}, ${company_user_id}, ${connection_id}, ${service_field_id}, ${file_sha256 === null ? content : null},
            ${file_sha256}, ${live}, ${source_private}, ${source_field}, ${JSON.stringify(verification)}, ${updated_at}, ${expires_at})`);
  if (file_sha256 !== null) await many(tx, sql`
    insert into shared_file (piece_id, company_user_id, shared_value_id, position, piece)
    select ${shared_value_id} || '_' || nth, ${company_user_id}, ${shared_value_id}, nth, piece
      from unnest(${piecesOf(content)}::text[]) with ordinality as p(piece, nth)`);
}

/** Removes answers to some rows. */
export const removeValues = (tx: EntityManager, connection_id: string, service_field_ids: readonly string[]) =>
  many(tx, sql`delete from shared_value where connection_id = ${connection_id} and service_field_id = any(${service_field_ids}::text[])`);

export const setVerification = (tx: EntityManager, shared_value_id: string, verification: Verification) =>
  many(tx, sql`update shared_value set verification = ${JSON.stringify(verification)} where shared_value_id = ${shared_value_id}`);

/** The whole text of a file; undefined when it has been let go. */
export async function readFile(db: Db, shared_value_id: string): Promise<string | undefined> {
  const pieces = await many<{ piece: string }>(db, sql`
    select piece from shared_file where shared_value_id = ${shared_value_id} order by position`);
  return pieces.length > 0 ? pieces.map(({ piece }) => piece).join('') : undefined;
}

/** Some files whose time is over and that are still here. @gap D1-2.8 */
export const listExpiredFiles = (db: Db, now: Date, most: number): Promise<{ shared_value_id: string; company_user_id: string }[]> =>
  many(db, sql`
    select v.shared_value_id, v.company_user_id
      from shared_value v join profile p on p.user_id = v.company_user_id and p.home = 'here'
     where v.expires_at <= ${now} and exists (select from shared_file f where f.shared_value_id = v.shared_value_id)
     order by v.expires_at
     limit ${most}`);

/** Lets go of a file; its digest stays. */
export const removeFile = (tx: EntityManager, shared_value_id: string) =>
  many(tx, sql`delete from shared_file where shared_value_id = ${shared_value_id}`);

/** A live slot that follows a field of its customer. */
export interface FollowingSlot extends SharedValueRow {
  company_user_id: string;
}

/** The live slots that follow a field of a customer, wherever its companies are at home here. */
export const listFollowing = (db: Db, user_id: string, field: string): Promise<FollowingSlot[]> =>
  many<FollowingSlot>(db, sql`
    select v.*, f.slug, f.label, f.type
      from connection c
      join profile p on p.user_id = c.company_user_id and p.home <> 'arriving'
      join shared_value v on v.connection_id = c.connection_id and v.live and v.source_field = ${field}
      join request_field f using (service_field_id)
     where c.customer_user_id = ${user_id}
     order by v.connection_id, f.position`);

/** The slugs a customer has declined. */
export async function listDeclined(db: Db, connection_id: string): Promise<string[]> {
  const declined = await many<{ slug: string }>(db, sql`
    select slug from declined_field join request_field using (service_field_id) where connection_id = ${connection_id}`);
  return declined.map(({ slug }) => slug);
}

/** Whether it was not declined before. */
export async function decline(tx: EntityManager, connection: ConnectionRow, service_field_id: string, now: Date): Promise<boolean> {
  const { company_user_id, connection_id } = connection;
  const declined = await one(tx, sql`
    insert into declined_field (declined_field_id, company_user_id, connection_id, service_field_id, declined_at)
    values (${newId('dec')}, ${company_user_id}, ${connection_id}, ${service_field_id}, ${now})
    on conflict (connection_id, service_field_id) do nothing
    returning declined_field_id`);
  return declined !== undefined;
}

export const undecline = (tx: EntityManager, connection_id: string, service_field_id: string) =>
  many(tx, sql`delete from declined_field where connection_id = ${connection_id} and service_field_id = ${service_field_id}`);
