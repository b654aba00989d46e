import type { EncryptedPrivateKey, Sealed } from '@codase/contracts';
import { hasRow, many, one, type Db } from '@codase/runtime/db';
import { In, MoreThan, type EntityManager } from 'typeorm';
import type { Slice } from '../../kit/paging.ts';
import { RecoveryCopyEntity, RecoveryKeyEntity } from './recovery-copy.entity.ts';

/** A copy without what it is a copy of. */
export type CopyRow = Pick<RecoveryCopyEntity, 'copy_id' | 'kind' | 'subject_id' | 'secret_id' | 'created_at'>;

export const findKey = async (db: Db, company_user_id: string): Promise<RecoveryKeyEntity | undefined> =>
  (await db.getRepository(RecoveryKeyEntity).findOneBy({ company_user_id })) ?? undefined;

/** Stores the key of a company. Returns whether it is the key of the company now: another one is never replaced. */
export async function putKey(tx: EntityManager, row: RecoveryKeyEntity): Promise<{ is_own: boolean; is_new: boolean }> {
  const { company_user_id, public_key, encrypted_private_key, created_at } = row;
  const wrapped = JSON.stringify(encrypted_private_key);
  const added = await one(tx)`
    insert into recovery_key (company_user_id, public_key, encrypted_private_key, created_at)
    values (${company_user_id}, ${public_key}, ${wrapped}::jsonb, ${created_at})
    on conflict do nothing
    returning 1`;
  if (added) return { is_own: true, is_new: true };
  const same = await one(tx)`
    select 1 from recovery_key
     where company_user_id = ${company_user_id} and public_key = ${public_key} and encrypted_private_key = ${wrapped}::jsonb`;
  return { is_own: same !== undefined, is_new: false };
}

/** Keeps the key of a company from being deleted until the transaction ends. Returns whether there is one. */
export const holdKey = (tx: EntityManager, company_user_id: string): Promise<boolean> =>
  hasRow(tx)`select 1 from recovery_key where company_user_id = ${company_user_id} for key share`;

/** Deletes the key of a company with every copy that is sealed to it. Returns whether there was one. */
export const removeKey = async (tx: EntityManager, company_user_id: string): Promise<boolean> =>
  (await tx.getRepository(RecoveryKeyEntity).delete({ company_user_id })).affected === 1;

/**
 * Stores a copy of a secret, in place of one that there is already if it may. Returns whether it was stored. A copy of another secret of
 * the subject stays, because a call that was slow must not replace the copy of a newer secret by one of an older.
 */
export function putCopy(tx: EntityManager, row: RecoveryCopyEntity, { mayReplace }: { mayReplace: boolean }): Promise<boolean> {
  const { copy_id, company_user_id, kind, subject_id, secret_id, service_id, value, created_at } = row;
  return hasRow(tx)`
    insert into recovery_copy (copy_id, company_user_id, kind, subject_id, secret_id, service_id, value, created_at)
    values (${copy_id}, ${company_user_id}, ${kind}, ${subject_id}, ${secret_id}, ${service_id}, ${value}, ${created_at})
    on conflict (company_user_id, kind, subject_id, secret_id) do update
       set copy_id = excluded.copy_id, value = excluded.value, created_at = excluded.created_at
     where ${mayReplace}
    returning 1`;
}

/** Lists copies of a company, the oldest first, and one more than the limit. */
export const listCopies = (db: Db, company_user_id: string, { limit, after }: Slice): Promise<CopyRow[]> =>
  many<CopyRow>(db)`
    select copy_id, kind, subject_id, secret_id, created_at from recovery_copy
     where company_user_id = ${company_user_id}
       and (${after?.id ?? null}::text is null or (created_at, copy_id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
     order by created_at, copy_id
     limit ${limit + 1}`;

/** Finds a copy of the company. The copy of another company is not found. */
export const findCopy = async (db: Db, company_user_id: string, copy_id: string): Promise<CopyRow | undefined> =>
  (await db.getRepository(RecoveryCopyEntity).findOneBy({ copy_id, company_user_id })) ?? undefined;

/** Returns what a copy is, with the wrapped key that opens it. */
export const readCopy = (db: Db, company_user_id: string, copy_id: string) =>
  one<{ value: Sealed; encrypted_private_key: EncryptedPrivateKey }>(db)`
    select c.value, k.encrypted_private_key from recovery_copy c join recovery_key k using (company_user_id)
     where c.copy_id = ${copy_id} and c.company_user_id = ${company_user_id}`;

export const removeCopies = (tx: EntityManager, company_user_id: string, copy_ids: readonly string[]) =>
  tx.getRepository(RecoveryCopyEntity).delete({ company_user_id, copy_id: In(copy_ids) });

/** Deletes the copies of secrets of the client of a service. */
export const removeCopiesOfClient = (tx: EntityManager, company_user_id: string, service_id: string) =>
  tx.getRepository(RecoveryCopyEntity).delete({ company_user_id, service_id, kind: 'client_secret' });

/** Returns companies with a recovery key, in the order of their ids. */
export async function companiesAfter(db: Db, company_user_id: string, limit: number): Promise<string[]> {
  const rows = await db.getRepository(RecoveryKeyEntity).find({
    select: { company_user_id: true },
    where: { company_user_id: MoreThan(company_user_id) },
    order: { company_user_id: 'ASC' },
    take: limit,
  });
  return rows.map((row) => row.company_user_id);
}
