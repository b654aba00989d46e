import type { Verification } from '@codase/contracts';
import { column, execute, hasRow, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { newId } from '../../kit/ids.ts';
import type { ConnectionRow, SharedValueRow } from './connection-row.ts';
import type { Resting, StoredObject } from '../../storage/files/index.ts';
import { piecesOf } from '../../kit/text-pieces.ts';
import { addSharedFile, SHARED_FILES, type StoredFile } from './shared-files.store.ts';

/** Returns the answers of some connections, in the order of the request fields. */
export const listValues = (db: Db, connection_ids: readonly string[]): Promise<SharedValueRow[]> =>
  many<SharedValueRow>(db)`
    select v.*, f.slug, f.label, f.type
      from shared_value v join request_field f using (service_field_id)
     where v.connection_id = any(${connection_ids}::text[])
     order by v.connection_id, f.position`;

/** Returns which rows some connections have answered, without the values. A file that has expired is no answer any more. @spec D1-2.8 */
export const listAnswered = (db: Db, connection_ids: readonly string[], now: Date) =>
  many<{ connection_id: string; slug: string }>(db)`
    select v.connection_id, f.slug from shared_value v join request_field f using (service_field_id)
     where v.connection_id = any(${connection_ids}::text[]) and (v.expires_at is null or v.expires_at > ${now})`;

/** A binary answer, and where its file is stored. @spec D1-2.8 */
export type SharedFile = Pick<SharedValueRow, 'type' | 'source_private' | 'expires_at'> & Resting & { file_sha256: string };

/** Finds a binary answer and its file with one statement, so that no edit comes between the two. */
export async function findFile(db: Db, connection_id: string, service_field_id: string): Promise<SharedFile | undefined> {
  const found = await one<SharedFile & Nullable<StoredObject>>(db)`
    select f.type, v.source_private, v.expires_at, v.file_sha256, v.shared_value_id as owner_id,
           o.object_key, o.sealing_key, o.bytes::integer as bytes,
           (select count(*)::integer from shared_file p where p.shared_value_id = v.shared_value_id) as pieces
      from shared_value v
      join request_field f using (service_field_id)
      left join stored_object o on o.owner_id = v.shared_value_id and o.state = 'stored'
     where v.connection_id = ${connection_id} and v.service_field_id = ${service_field_id} and v.file_sha256 is not null`;
  if (!found) return undefined;
  const { object_key, sealing_key, bytes, ...file } = found;
  return { ...file, object: object_key === null ? null : { object_key, sealing_key: sealing_key!, bytes: bytes! } };
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

/** An answer as it is stored: a text, or a file with its digest. */
export interface NewValue {
  service_field_id: string;
  content: string | StoredFile;
  file_sha256: string | null;
  live: boolean;
  source_private: boolean;
  source_field: string | null;
  verification: Verification;
  updated_at: Date;
  as_of: Date;
  expires_at: Date | null;
}

/** Stores an answer in place of the one before, which is deleted. The connection is locked. */
export async function putValue(tx: EntityManager, { company_user_id, connection_id }: ConnectionRow, given: NewValue): Promise<void> {
  const { service_field_id, content, file_sha256, live, source_private, source_field, verification } = given;
  await removeValues(tx, connection_id, [service_field_id]);
  const shared_value_id = newId('val');
  await execute(tx)`
    insert into shared_value (shared_value_id, company_user_id, connection_id, service_field_id, value, file_sha256, live,
                              source_private, source_field, verification, updated_at, as_of, expires_at)
    values (${shared_value_id}, ${company_user_id}, ${connection_id}, ${service_field_id}, ${file_sha256 === null ? content : null},
            ${file_sha256}, ${live}, ${source_private}, ${source_field}, ${JSON.stringify(verification)},
            ${given.updated_at}, ${given.as_of}, ${given.expires_at})`;
  if (typeof content !== 'string') await content.copyTo(tx, SHARED_FILES, { owner_id: shared_value_id, company_user_id });
  else if (file_sha256 !== null) await addSharedFile(tx, shared_value_id, piecesOf(content));
}

/** Removes the answers to some rows of a connection. */
export const removeValues = (tx: EntityManager, connection_id: string, service_field_ids: readonly string[]) =>
  execute(tx)`delete from shared_value where connection_id = ${connection_id} and service_field_id = any(${service_field_ids}::text[])`;

/** Removes answers by their ids. */
export const removeSlots = (tx: EntityManager, shared_value_ids: readonly string[]) =>
  execute(tx)`delete from shared_value where shared_value_id = any(${shared_value_ids}::text[])`;

export const setVerification = (tx: EntityManager, shared_value_ids: readonly string[], verification: Verification, as_of: Date) =>
  execute(tx)`
    update shared_value set verification = ${JSON.stringify(verification)}, as_of = ${as_of}
     where shared_value_id = any(${shared_value_ids}::text[])`;

/** Returns the verification of a value that is shared with a service and verified so. */
export const findSharedVerification = async (
  db: Db,
  { service_id, company_user_id }: { service_id: string; company_user_id: string },
  verification_id: string,
): Promise<Verification | undefined> =>
  (
    await one<{ verification: Verification }>(db)`
      select v.verification from shared_value v join connection c using (connection_id)
       where v.verification <> '{}' and v.verification->>'verification_id' = ${verification_id}
         and c.service_id = ${service_id} and c.company_user_id = ${company_user_id}
       limit 1`
  )?.verification;

/** Returns some values whose file has expired and is not marked as deleted. @gap D1-2.8 */
export const listExpiredFiles = (db: Db, now: Date, most: number) =>
  many<{ shared_value_id: string; company_user_id: string }>(db)`
    select v.shared_value_id, v.company_user_id
      from shared_value v join profile p on p.user_id = v.company_user_id and p.home = 'here'
     where v.expires_at <= ${now} and v.file_deleted is null
     order by v.expires_at
     limit ${most}`;

/** Marks that the file of a value was deleted. */
export const markFileDeleted = (tx: EntityManager, shared_value_id: string) =>
  execute(tx)`update shared_value set file_deleted = true where shared_value_id = ${shared_value_id}`;

/** A live slot that follows a field of its customer. Its value, which may be long, is read separately. */
interface FollowingSlot extends Pick<SharedValueRow, 'shared_value_id' | 'connection_id' | 'service_field_id' | 'slug' | 'type'> {
  company_user_id: string;
  service_id: string;
  /** The state of the company in this region. */
  home: string;
  verification: Verification;
  as_of: Date | null;
}

/** Returns the live slots that follow a field of a customer. */
export const listFollowing = (db: Db, user_id: string, field: string): Promise<FollowingSlot[]> =>
  many<FollowingSlot>(db)`
    select v.shared_value_id, v.connection_id, v.service_field_id, f.slug, f.type, c.company_user_id, c.service_id, p.home,
           v.verification, v.as_of
      from connection c
      join profile p on p.user_id = c.company_user_id
      join shared_value v on v.connection_id = c.connection_id and v.live and v.source_field = ${field}
      join request_field f using (service_field_id)
     where c.customer_user_id = ${user_id}
     order by v.connection_id, f.position`;

/** Returns the answer that a slot holds. */
export const findValue = async (db: Db, shared_value_id: string): Promise<SharedValueRow> =>
  (await one<SharedValueRow>(db)`
    select v.*, f.slug, f.label, f.type
      from shared_value v join request_field f using (service_field_id)
     where v.shared_value_id = ${shared_value_id}`)!;

/** Returns the slugs of the rows that the customer has declined. */
export function listDeclined(db: Db, connection_id: string): Promise<string[]> {
  return column<string>(db)`
    select slug from declined_field join request_field using (service_field_id) where connection_id = ${connection_id}`;
}

/** Declines a row. Returns false when it was declined before. */
export function decline(tx: EntityManager, connection: ConnectionRow, service_field_id: string, now: Date): Promise<boolean> {
  const { company_user_id, connection_id } = connection;
  return hasRow(tx)`
    insert into declined_field (declined_field_id, company_user_id, connection_id, service_field_id, declined_at)
    values (${newId('dec')}, ${company_user_id}, ${connection_id}, ${service_field_id}, ${now})
    on conflict (connection_id, service_field_id) do nothing
    returning declined_field_id`;
}

export const undecline = (tx: EntityManager, connection_id: string, service_field_id: string) =>
  execute(tx)`delete from declined_field where connection_id = ${connection_id} and service_field_id = ${service_field_id}`;
