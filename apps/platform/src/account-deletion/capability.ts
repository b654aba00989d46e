import { ACCOUNT_CHANGES, CREDENTIALS_CHANGED } from '../account-changes/index.ts';
import { ACCOUNT_MAIL } from '../account-mail/index.ts';
import { AUDIT } from '../audit/index.ts';
import type { Capability } from '../capability.ts';
import { CLIENT_REGISTRY } from '../clients/index.ts';
import { CONNECT_REQUESTS_CAPABILITY } from '../connect-requests/index.ts';
import { CONNECTIONS } from '../connections/index.ts';
import { DELEGATES_CAPABILITY } from '../delegates/index.ts';
import { FEED } from '../feed/index.ts';
import { contribute } from '../hooks.ts';
import { ACCOUNT_TAKEN_BACK, IDENTITY } from '../identity/index.ts';
import { AccountDeletions1763164800035 } from '../migrations/front-door/1763164800035-account-deletions.ts';
import { MOVES } from '../moves/index.ts';
import { REGIONS } from '../regions/index.ts';
import { SERVICES } from '../services/index.ts';
import { EXPIRED_ROWS, TOKENS } from '../tokens/index.ts';
import { AccountDeletionBus } from './account-deletion.bus.ts';
import { AccountDeletionHttp } from './account-deletion.http.ts';
import { AccountDeletion } from './account-deletion.service.ts';
import { AccountDeletionWorker } from './account-deletion.worker.ts';
import { DELETED_ACCOUNTS } from './deleted-accounts.ts';
import { DeletionCodesStore } from './deletion-codes.store.ts';
import { DeletionsStore } from './deletions.store.ts';
import { METRICS } from './metrics.ts';
import { RegionDeletionBus } from './region-deletion.bus.ts';
import { RegionDeletion } from './region-deletion.service.ts';

/** Persons and companies delete their own account: the front door leads, every region deletes what it has. @spec D1-5.8 */
export const ACCOUNT_DELETION: Capability = {
  name: 'account-deletion',
  uses: [
    AUDIT,
    REGIONS,
    ACCOUNT_MAIL,
    IDENTITY,
    CLIENT_REGISTRY,
    TOKENS,
    ACCOUNT_CHANGES,
    MOVES,
    FEED,
    SERVICES,
    CONNECTIONS,
    CONNECT_REQUESTS_CAPABILITY,
    DELEGATES_CAPABILITY,
  ],
  tables: { frontDoor: ['deletion_code', 'account_deletion'] },
  migrations: { frontDoor: [AccountDeletions1763164800035] },
  publishes: [DELETED_ACCOUNTS],
  metrics: METRICS,
  parts: {
    'front-door': {
      bus: [AccountDeletionBus],
      workers: [AccountDeletionWorker],
      providers: [DeletionCodesStore, DeletionsStore, AccountDeletion],
      contributes: [
        contribute(EXPIRED_ROWS, DeletionCodesStore),
        contribute(CREDENTIALS_CHANGED, DeletionCodesStore),
        contribute(ACCOUNT_TAKEN_BACK, DeletionsStore),
      ],
    },
    region: { http: [AccountDeletionHttp], bus: [RegionDeletionBus], providers: [RegionDeletion] },
  },
};
