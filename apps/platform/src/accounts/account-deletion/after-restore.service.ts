import { EmailChangesStore } from '../../access/account-changes/index.ts';
import { AccountMailStore } from '../../access/account-mail/index.ts';
import { ClientsStore } from '../../access/clients/index.ts';
import { AccountsStore, removeAccount } from '../../access/identity/index.ts';
import { unknownDeletions } from '../../foundation/regions/index.ts';
import type { RestoredFrontDoor, RestoredRegion } from '../../kit/after-restore.service.ts';
import { addDeletion, DELETED_ACCOUNTS, deletionsAfter, repeatDeletions } from './deletions.store.ts';

/**
 * Deletes accounts again, so that nobody can sign in to them. The worker of the front door asks the regions when it starts. Ids are never
 * used again, so an account that was deleted at any time is deleted now.
 */
export async function deleteAccountsAgain({ tx, now, acts, report, published, record }: RestoredFrontDoor): Promise<void> {
  const [clients, accounts, mails] = [new ClientsStore(tx), new AccountsStore(tx), new AccountMailStore(tx)];
  const emailChanges = new EmailChangesStore(tx, mails);
  const deleted = (await published(DELETED_ACCOUNTS)).map(({ user_id }) => user_id);
  for (const user_id of new Set([...deleted, ...acts.objects('account.deleted').keys()])) {
    if (!(await addDeletion(tx, user_id, now))) continue;
    for (const client_id of await clients.ofCompany(user_id, tx)) await clients.remove(client_id, tx);
    const account = await accounts.find(user_id);
    if (account) {
      await mails.deleteTo(tx, account.email);
      await emailChanges.deleteMails(tx, user_id);
      await removeAccount(tx, account);
    }
    await record({ act: 'account.deleted', account_id: user_id, object: user_id });
    report.accounts_deleted.push(user_id);
  }
}

const BATCH = 500;

/** Has the front door ask a region once more to delete the accounts that its older database does not know as deleted. */
export async function askForDeletionsAgain({ tx, frontDoor, region, now, report, afterCommit }: RestoredRegion): Promise<void> {
  for (let some = await deletionsAfter(frontDoor, '', BATCH); some.length > 0; some = await deletionsAfter(frontDoor, some.at(-1)!, BATCH))
    report.accounts_deleted.push(...(await unknownDeletions(tx, some)));
  afterCommit(() => repeatDeletions(frontDoor, report.accounts_deleted, region, now));
}
