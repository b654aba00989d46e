import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { RestingFile } from './files.hook.ts';

/** The data needed to read a file that rests in the object store. */
export interface StoredObject {
  object_key: string;
  sealing_key: Buffer;
  bytes: number;
}

/** A file to be uploaded: the user who owns it, and the row that it belongs to. */
export interface ObjectOwner extends RestingFile {
  /** The kind of the row. */
  owner_kind: string;
}

export const readStoreId = async (db: Db): Promise<string> =>
  (await one<{ store_id: string }>(db)`select store_id from object_store`)!.store_id;

/** Notes an upload before it begins. Returns false when the file has an object already, or another replica uploads it. */
export const beginUpload = async (
  db: Db,
  { company_user_id, owner_kind, owner_id }: ObjectOwner,
  { object_key, sealing_key }: Omit<StoredObject, 'bytes'>,
): Promise<boolean> =>
  (await one(db)`
    insert into stored_object (object_key, company_user_id, owner_kind, owner_id, state, sealing_key)
    values (${object_key}, ${company_user_id}, ${owner_kind}, ${owner_id}, 'uploading', ${sealing_key})
    on conflict do nothing
    returning object_key`) !== undefined;

/** Notes that the file rests in the store now. Returns false when its row is gone, or the sweep has given the upload up. */
export const endUpload = async (tx: EntityManager, object_key: string, bytes: number): Promise<boolean> =>
  (await one(tx)`
    update stored_object set state = 'stored', bytes = ${bytes}, changed_at = now()
     where object_key = ${object_key} and state = 'uploading'
    returning object_key`) !== undefined;

/** Forgets the key: the objects cannot be read any more, and are deleted later. The trigger of deleted values does the same. */
const SET_DELETING = `state = 'deleting', sealing_key = null, missing_since = null, changed_at = now(), attempts = 0, retry_at = now()`;

export const markForDeletion = (db: Db, object_key: string) =>
  execute(db, { text: `update stored_object set ${SET_DELETING} where object_key = $1 and state <> 'deleting'`, values: [object_key] });

/** Does the same as `markForDeletion`, by the row of the file. */
export const markForDeletionOf = (db: Db, owner_id: string) =>
  execute(db, { text: `update stored_object set ${SET_DELETING} where owner_id = $1 and state <> 'deleting'`, values: [owner_id] });

/** Gives up uploads that began long ago, because the process that began them is dead. Returns how many. */
export async function abandonUploads(db: Db, olderThanSeconds: number, most: number): Promise<number> {
  const abandoned = await many(db, {
    text: `
      update stored_object set ${SET_DELETING}
       where object_key in (
         select object_key from stored_object
          where state = 'uploading' and changed_at < now() - make_interval(secs => $1)
          order by changed_at limit $2 for update skip locked)
      returning object_key`,
    values: [olderThanSeconds, most],
  });
  return abandoned.length;
}

/** Takes objects whose deletion is due. They are due again after a while, longer each time, so that replicas share the work. */
export const takeDeletions = async (db: Db, { afterSeconds, most }: { afterSeconds: number; most: number }): Promise<string[]> => {
  const taken = await many<{ object_key: string }>(db)`
    update stored_object
       set attempts = attempts + 1, retry_at = now() + make_interval(secs => least(3600, 30 * 2 ^ least(attempts, 10)))
     where object_key in (
       select object_key from stored_object
        where state = 'deleting' and retry_at <= now() and changed_at <= now() - make_interval(secs => ${afterSeconds})
        order by retry_at limit ${most} for update skip locked)
    returning object_key`;
  return taken.map(({ object_key }) => object_key);
};

/** Removes the rows of objects that the store no longer has. */
export const removeDeleted = (db: Db, object_keys: readonly string[]) =>
  execute(db)`delete from stored_object where object_key = any(${object_keys}::text[]) and state = 'deleting'`;

/** Notes objects that were found in the store and have no row, so that they are deleted like others. Returns how many. */
export async function adoptOrphans(db: Db, found: readonly string[]): Promise<number> {
  const adopted = await many(db)`
    insert into stored_object (object_key, state)
    select found, 'deleting' from unnest(${found}::text[]) found
    on conflict do nothing
    returning object_key`;
  return adopted.length;
}

/** Lists the first keys of the objects that should be in the store, between two keys. */
export async function listStoredBetween(db: Db, after: string, upTo: string | null, most: number): Promise<string[]> {
  const rows = await many<{ object_key: string }>(db)`
    select object_key from stored_object
     where state = 'stored' and object_key > ${after} and (${upTo}::text is null or object_key <= ${upTo})
     order by object_key
     limit ${most}`;
  return rows.map(({ object_key }) => object_key);
}

/** Notes which objects are missing in the store and which are present. Returns how many are newly missing. */
export async function noteMissing(db: Db, missing: readonly string[], present: readonly string[] = []): Promise<number> {
  const newly = await many(db)`
    update stored_object set missing_since = now()
     where object_key = any(${missing}::text[]) and state = 'stored' and missing_since is null
    returning object_key`;
  await execute(db)`update stored_object set missing_since = null where object_key = any(${present}::text[]) and missing_since is not null`;
  return newly.length;
}

export interface ObjectCounts {
  uploading: number;
  stored: number;
  deleting: number;
  missing: number;
}

/** The rows that each number counts, and the partial index that has exactly these rows. */
const COUNTED: Readonly<Record<keyof ObjectCounts, { where: string; index: string }>> = {
  uploading: { where: `state = 'uploading'`, index: 'stored_object_uploading' },
  stored: { where: `state = 'stored'`, index: 'stored_object_of_company' },
  deleting: { where: `state = 'deleting'`, index: 'stored_object_deleting' },
  missing: { where: `missing_since is not null`, index: 'stored_object_missing' },
};
const EXACT_UP_TO = 10_000;

/** Counts exactly up to a bound; above it takes what vacuum found in the index, so that the cost does not grow. */
export async function countObjects(db: Db, exactUpTo = EXACT_UP_TO): Promise<ObjectCounts> {
  const columns = Object.entries(COUNTED).map(
    ([name, { where, index }]) => `
      (select case when n <= $1 then n else greatest(n, (select reltuples::integer from pg_class where oid = '${index}'::regclass)) end
         from (select count(*)::integer as n from (select from stored_object where ${where} limit $1 + 1) bounded) counted) as ${name}`,
  );
  return (await one<ObjectCounts>(db, { text: `select ${columns.join(',')}`, values: [exactUpTo] }))!;
}

/** A file that a replica brings back into the database. `attempts` tells the replica from others that took the file before or after it. */
export type TakenBack = ObjectOwner & StoredObject & { attempts: number };

/** How long a file stays with the replica that took it, after the replica's last step. A step takes far less time. */
const BRING_BACK_SECONDS = 30;

/** Takes files of companies that leave, or of all at home. Others do not get them before `BRING_BACK_SECONDS` without a step. */
export const takeToBringBack = (db: Db, of: 'leaving' | 'all', most: number) => many<TakenBack>(db)`
  update stored_object o
     set attempts = o.attempts + 1, retry_at = now() + make_interval(secs => ${BRING_BACK_SECONDS})
    from (select w.object_key
            from profile p join stored_object w on w.company_user_id = p.user_id and w.state = 'stored' and w.missing_since is null
           where (p.home = 'settling' or (${of === 'all'} and p.home = 'here')) and w.retry_at <= now()
           order by p.home <> 'settling'
           limit ${most}
             for update of w skip locked) due
   where o.object_key = due.object_key
  returning o.owner_kind, o.owner_id, o.company_user_id, o.object_key, o.sealing_key, o.bytes::integer as bytes, o.attempts`;

/** Keeps a file for the next step. Returns false when another replica has taken it over, or the object no longer has the file. */
export const keepTaken = async (tx: EntityManager, { object_key, attempts }: TakenBack): Promise<boolean> =>
  (await one(tx)`
    update stored_object set retry_at = now() + make_interval(secs => ${BRING_BACK_SECONDS})
     where object_key = ${object_key} and state = 'stored' and attempts = ${attempts}
    returning object_key`) !== undefined;

/** Lets any replica take the file again. Changes nothing when the file is back, or another replica has it. */
export const leaveTaken = (db: Db, { object_key, attempts }: TakenBack) =>
  execute(db)`update stored_object set retry_at = now() where object_key = ${object_key} and state = 'stored' and attempts = ${attempts}`;

/** Whether files of the company are in the object store. */
export const hasStoredFiles = async (db: Db, company_user_id: string): Promise<boolean> =>
  (await one(db)`select from stored_object where company_user_id = ${company_user_id} and state = 'stored' limit 1`) !== undefined;

/** Finds the object of a file; undefined when the file does not rest in the object store. */
export const findStored = (db: Db, owner_id: string) => one<StoredObject>(db)`
  select object_key, sealing_key, bytes::integer as bytes from stored_object where owner_id = ${owner_id} and state = 'stored'`;

/** Takes the lease of the sweep and returns its cursor; undefined when another replica has the lease, or the last sweep is not long ago. */
export const leaseSweep = async (db: Db, { leaseSeconds, everySeconds }: { leaseSeconds: number; everySeconds: number }) =>
  (
    await one<{ sweep_cursor: string }>(db)`
    update object_store set leased_until = now() + make_interval(secs => ${leaseSeconds})
     where leased_until <= now() and (sweep_cursor <> '' or swept_at <= now() - make_interval(secs => ${everySeconds}))
    returning sweep_cursor`
  )?.sweep_cursor;

/** Notes how far the sweep has come, and ends the lease. The cursor is null when the sweep is complete. */
export const endSweep = (db: Db, cursor: string | null) => execute(db)`
  update object_store
     set sweep_cursor = coalesce(${cursor}::text, ''), leased_until = '-infinity',
         swept_at = case when ${cursor}::text is null then now() else swept_at end`;
