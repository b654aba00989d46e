import type { AuditEntry } from '@codase/contracts';
import type { StoredEntry } from './audit.store.ts';

/** Returns an entry as it is exported, and as the transparency log commits to it. */
export const presentEntry = ({
  at,
  act,
  outcome,
  initiator,
  client_id,
  address,
  account_id,
  object,
  details,
  salt,
}: StoredEntry): AuditEntry => ({
  at: at.toISOString(),
  act,
  outcome,
  initiator,
  client_id,
  address,
  account_id,
  object,
  details: { ...details },
  ...(salt !== null && { salt }),
});
