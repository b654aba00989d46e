import { AUDIT_DONE, type AuditAct } from '@codase/contracts';
import { one } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { RestoredRegion } from '../../kit/after-restore.service.ts';

/** Removes delegates, revokes grants and takes keys back, as was done after the copy was made, and notes which keys were read. */
export async function repeatChangesOfDelegates(restored: RestoredRegion): Promise<void> {
  const { tx, acts, report } = restored;
  const remove = (id: string) => recorded(restored, 'delegate.removed', id, removeDelegateAgain(tx, id));
  report.delegates_removed = [...(await acts.each('delegate.removed', remove)), ...(await acts.each('delegate.left', remove))];
  report.grants_revoked = await acts.each('delegate.revoked', (id) => recorded(restored, 'delegate.revoked', id, revokeGrantAgain(tx, id)));
  report.delegates_accepted = await acts.each('delegate.accepted', (id, at) =>
    recorded(restored, 'delegate.accepted', id, acceptAgain(tx, id, new Date(at))),
  );
  const withdrawn = withdrawnLast(restored);
  report.keys_withdrawn = await acts.each('delegate.key_withdrawn', async (id) =>
    withdrawn.has(id) ? recorded(restored, 'delegate.key_withdrawn', id, withdrawKeyAgain(tx, id)) : false,
  );
  report.keys_read = await acts.each('delegate.key_read', (id, at) =>
    recorded(restored, 'delegate.key_read', id, noteKeyReadAgain(tx, id, new Date(at))),
  );
}

/** Notes again which companies elsewhere have users of this region as delegates, once the homes were compared. */
export async function noteDelegationsAgain({ tx, delegates_added, report }: RestoredRegion): Promise<void> {
  for (const { outcome, account_id, object, details } of delegates_added) {
    const user_id = details['user_id'];
    if (outcome !== AUDIT_DONE || !account_id || !object || typeof user_id !== 'string') continue;
    if (await noteDelegatingAgain(tx, user_id, account_id)) report.delegates_noted.push(object);
  }
}

/** Records an act that has changed a row. Returns whether it has. */
async function recorded({ record }: RestoredRegion, act: AuditAct, object: string, changing: Promise<Owned | undefined>): Promise<boolean> {
  const changed = await changing;
  if (changed) await record({ act, account_id: changed.company_user_id, object });
  return changed !== undefined;
}

/** Returns the grants whose key was taken back, and was not handed over once more since. */
function withdrawnLast({ acts }: RestoredRegion): Set<string> {
  const withdrawn = new Set<string>();
  for (const { act, object } of acts.done) {
    if (object !== null && act === 'delegate.granted') withdrawn.delete(object);
    if (object !== null && act === 'delegate.key_withdrawn') withdrawn.add(object);
  }
  return withdrawn;
}

/** The company of a row that was changed or deleted. */
interface Owned {
  company_user_id: string;
}

/** Deletes a delegate that was removed, or left, after the copy was made; undefined when there is none. */
const removeDelegateAgain = (tx: EntityManager, delegate_id: string) =>
  one<Owned>(tx)`delete from delegate where delegate_id = ${delegate_id} returning company_user_id`;

/** Notes when a user accepted, after the copy was made; undefined when there is no such delegate, or it is noted already. */
const acceptAgain = (tx: EntityManager, delegate_id: string, at: Date) =>
  one<Owned>(tx)`
    update delegate set accepted_at = ${at} where delegate_id = ${delegate_id} and accepted_at is null returning company_user_id`;

/** Deletes a grant that was revoked after the copy was made; undefined when there is none. */
const revokeGrantAgain = (tx: EntityManager, grant_id: string) =>
  one<Owned>(tx)`delete from delegate_grant where grant_id = ${grant_id} returning company_user_id`;

/** Takes the key of a grant back that was taken back after the copy was made; undefined when the grant has none. */
const withdrawKeyAgain = (tx: EntityManager, grant_id: string) =>
  one<Owned>(
    tx,
  )`update delegate_grant set passphrase = null where grant_id = ${grant_id} and passphrase is not null returning company_user_id`;

/** Notes when a key was first read, after the copy was made; undefined when there is no such grant, or it is noted already. */
const noteKeyReadAgain = (tx: EntityManager, grant_id: string, at: Date) =>
  one<Owned>(
    tx,
  )`update delegate_grant set key_read_at = ${at} where grant_id = ${grant_id} and key_read_at is null returning company_user_id`;

/** Notes that a user at home here may be a delegate of a company that is not; undefined when there is nothing to note. */
const noteDelegatingAgain = (tx: EntityManager, user_id: string, company_user_id: string) =>
  one<Owned>(tx)`
    insert into delegating_company (user_id, company_user_id)
    select u.user_id, ${company_user_id} from profile u
     where u.user_id = ${user_id} and u.home <> 'arriving'
       and not exists (select from profile c where c.user_id = ${company_user_id} and c.home <> 'arriving')
       and not exists (select from deleted_account a where a.user_id in (${user_id}, ${company_user_id}))
    on conflict do nothing
    returning company_user_id`;
