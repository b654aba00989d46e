import { many, one, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import type { StoredObject } from '../files/index.ts';

/** A file that does not rest where it should. */
export interface MisplacedFile {
  shared_value_id: string;
  company_user_id: string;
}

/** Files in the database that belong into the object store, of companies at home, and that no replica uploads now. */
export const listToUpload = (db: Db, most: number): Promise<MisplacedFile[]> =>
  many<MisplacedFile>(
    db,
    sql`
    select f.shared_value_id, f.company_user_id
      from shared_file f join profile p on p.user_id = f.company_user_id and p.home = 'here'
     where f.position = 1
       and not exists (select from stored_object o where o.owner_id = f.shared_value_id and o.state <> 'deleting')
     limit ${most}`,
  );

/** Files in the object store of companies that begin to leave the region, or of all companies at home. */
export const listToBringBack = (db: Db, of: 'leaving' | 'all', most: number): Promise<(MisplacedFile & StoredObject)[]> =>
  many(
    db,
    sql`
    select o.owner_id as shared_value_id, o.company_user_id, o.object_key, o.sealing_key, o.bytes::integer as bytes
      from profile p join stored_object o on o.company_user_id = p.user_id and o.state = 'stored' and o.missing_since is null
     where (p.home = 'settling' or (${of === 'all'} and p.home = 'here'))
     order by p.home <> 'settling'
     limit ${most}`,
  );

/** Locks the value whose file is moved, before anything else: whoever deletes the value locks it first too. False where it is gone. */
export const lockValue = async (tx: EntityManager, shared_value_id: string): Promise<boolean> =>
  (await one(tx, sql`select from shared_value where shared_value_id = ${shared_value_id} for no key update`)) !== undefined;

/** Whether files of the company are in the object store. */
export const hasStoredFiles = async (db: Db, company_user_id: string): Promise<boolean> =>
  (await one(db, sql`select from stored_object where company_user_id = ${company_user_id} and state = 'stored' limit 1`)) !== undefined;

/** The object that still has the file. */
export const isStoredIn = async (tx: EntityManager, object_key: string): Promise<boolean> =>
  (await one(tx, sql`select from stored_object where object_key = ${object_key} and state = 'stored'`)) !== undefined;
