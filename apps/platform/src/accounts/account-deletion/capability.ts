import { ACCOUNT_CHANGES, CREDENTIALS_CHANGED } from '../../access/account-changes/index.ts';
import { ACCOUNT_MAIL } from '../../access/account-mail/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CLIENT_REGISTRY } from '../../access/clients/index.ts';
import { CONNECT_REQUESTS_CAPABILITY } from '../../sharing/connect-requests/index.ts';
import { CONNECTIONS } from '../../sharing/connections/index.ts';
import { DEVICES } from '../../access/devices/index.ts';
import { DELEGATES_CAPABILITY } from '../../sharing/delegates/index.ts';
import { FEED } from '../../services/feed/index.ts';
import { contribute } from '../../kit/hooks.ts';
import { ACCOUNT_TAKEN_BACK, IDENTITY } from '../../access/identity/index.ts';
import { AccountDeletions1763164800035 } from '../../migrations/front-door/1763164800035-account-deletions.ts';
import { MOVES } from '../../storage/moves/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { SERVICES } from '../../services/services/index.ts';
import { EXPIRED_ROWS, TOKENS } from '../../access/tokens/index.ts';
import { AccountDeletionBus } from './account-deletion.bus.ts';
import { AccountDeletionHttp } from './account-deletion.http.ts';
import { AccountDeletion } from './account-deletion.service.ts';
import { AccountDeletionWorker } from './account-deletion.worker.ts';
import { DeletionCodesStore, endDeletionCodes } from './deletion-codes.store.ts';
import { DELETED_ACCOUNTS, DeletionsStore } from './deletions.store.ts';
import { METRICS } from './metrics.ts';
import { RegionDeletionBus } from './region-deletion.bus.ts';
import { RegionDeletion } from './region-deletion.service.ts';
import { AccountDeletionEntity, DeletionCodeEntity } from './account-deletion.entity.ts';
import { askForDeletionsAgain, deleteAccountsAgain } from './after-restore.service.ts';

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
    DEVICES,
    ACCOUNT_CHANGES,
    MOVES,
    FEED,
    SERVICES,
    CONNECTIONS,
    CONNECT_REQUESTS_CAPABILITY,
    DELEGATES_CAPABILITY,
  ],
  tables: { frontDoor: [DeletionCodeEntity, AccountDeletionEntity] },
  afterRestore: {
    frontDoor: { first: [deleteAccountsAgain], last: [endDeletionCodes], covers: ['account.deleted', 'account.deletion_requested'] },
    region: { first: [askForDeletionsAgain], covers: ['account.deleted'] },
  },
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
