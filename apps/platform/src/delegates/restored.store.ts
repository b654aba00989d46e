import { one, sql } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';

type Removed = { company_user_id: string } | undefined;

/** Deletes a delegate that was removed, or left, after the copy was made; undefined when there is none. */
export const removeDelegateAgain = (tx: EntityManager, delegate_id: string): Promise<Removed> =>
  one(tx, sql`delete from delegate where delegate_id = ${delegate_id} returning company_user_id`);

/** Deletes a grant that was revoked after the copy was made; undefined when there is none. */
export const revokeGrantAgain = (tx: EntityManager, grant_id: string): Promise<Removed> =>
  one(tx, sql`delete from delegate_grant where grant_id = ${grant_id} returning company_user_id`);
