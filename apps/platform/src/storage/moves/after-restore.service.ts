import { AccountsStore } from '../../access/identity/index.ts';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';
import { reconcileMoves } from './moves.store.ts';

/** Goes on with the moves of an older copy, once its accounts have got the home regions that they moved to. */
export function reconcileRestoredMoves({ tx, now, moved }: RestoredFrontDoor): Promise<void> {
  const accounts = new AccountsStore(tx);
  return reconcileMoves(tx, { moved, regionOf: async (user_id) => (await accounts.find(user_id))?.region, now });
}
