import { one, sql } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';

/** The company of a row that was changed or deleted. */
type Owned = { company_user_id: string } | undefined;

/** Deletes a delegate that was removed, or left, after the copy was made; undefined when there is none. */
export const removeDelegateAgain = (tx: EntityManager, delegate_id: string): Promise<Owned> =>
  one(tx, sql`delete from delegate where delegate_id = ${delegate_id} returning company_user_id`);

/** Deletes a grant that was revoked after the copy was made; undefined when there is none. */
export const revokeGrantAgain = (tx: EntityManager, grant_id: string): Promise<Owned> =>
  one(tx, sql`delete from delegate_grant where grant_id = ${grant_id} returning company_user_id`);

/** Takes the key of a grant back that was taken back after the copy was made; undefined when the grant has none. */
export const withdrawKeyAgain = (tx: EntityManager, grant_id: string): Promise<Owned> =>
  one(
    tx,
    sql`update delegate_grant set passphrase = null where grant_id = ${grant_id} and passphrase is not null returning company_user_id`,
  );

/** Notes when a key was first read, after the copy was made; undefined when there is no such grant, or it is noted already. */
export const noteKeyReadAgain = (tx: EntityManager, grant_id: string, at: Date): Promise<Owned> =>
  one(
    tx,
    sql`update delegate_grant set key_read_at = ${at} where grant_id = ${grant_id} and key_read_at is null returning company_user_id`,
  );

/**
 * Notes again that a user who is at home here may be a delegate of a company that is not. Returns undefined when there is nothing to note,
 * or one of the two accounts was deleted.
 */
export const noteDelegatingAgain = (tx: EntityManager, user_id: string, company_user_id: string): Promise<Owned> =>
  one(
    tx,
    sql`
    insert into delegating_company (user_id, company_user_id)
    select u.user_id, ${company_user_id} from profile u
     where u.user_id = ${user_id} and u.home <> 'arriving'
       and not exists (select from profile c where c.user_id = ${company_user_id} and c.home <> 'arriving')
       and not exists (select from deleted_account a where a.user_id in (${user_id}, ${company_user_id}))
    on conflict do nothing
    returning company_user_id`,
  );
