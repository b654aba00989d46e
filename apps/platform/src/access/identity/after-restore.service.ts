import type { RestoredRegion } from '../../kit/after-restore.service.ts';
import { inBatches } from '../../kit/restored-acts.ts';
import { ProfilesStore, setHome } from '../../foundation/regions/index.ts';
import { AccountsStore } from './accounts/accounts.store.ts';

/** Compares who lives in a region with what the front door says. No rows are deleted: the front door may be wrong too. */
export async function compareHomes({ tx, region, frontDoor, report }: RestoredRegion): Promise<void> {
  const living = await livingIn(region, new AccountsStore(frontDoor));
  const deleted = new Set(report.accounts_deleted);
  const profiles = new ProfilesStore(tx);
  const stored = inBatches(
    (last, limit) => profiles.after(last, limit),
    ({ user_id }) => user_id,
  );
  for await (const { user_id, home } of stored) {
    if (home === 'arriving') continue;
    if (living.has(user_id)) living.delete(user_id);
    else if (!deleted.has(user_id)) {
      await setHome(tx, user_id, 'arriving', null); // then nothing is written or delivered, and a move to here begins with nothing
      report.accounts_moved.push(user_id);
    }
  }
  report.accounts_lost = [...living];
}

async function livingIn(region: string, accounts: AccountsStore): Promise<Set<string>> {
  const living = new Set<string>();
  const user_ids = inBatches(
    (last, limit) => accounts.livingIn(region, last, limit),
    (user_id) => user_id,
  );
  for await (const user_id of user_ids) living.add(user_id);
  return living;
}
