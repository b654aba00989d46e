import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability, Followed } from '../../kit/capability.ts';
import { LiveVariable } from '@codase/runtime/config';
import { FrontDoorConfig } from '../../kit/config.ts';
import { IDENTITY } from '../identity/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { Registry1763164800001 } from '../../migrations/front-door/1763164800001-registry.ts';
import { AccountsAndGrants1763164800003 } from '../../migrations/front-door/1763164800003-accounts-and-grants.ts';
import { SessionLimits1763164800015 } from '../../migrations/front-door/1763164800015-session-limits.ts';
import { WithdrawnClients1763164800014 } from '../../migrations/front-door/1763164800014-withdrawn-clients.ts';
import { TwoSecrets1763164800018 } from '../../migrations/front-door/1763164800018-two-secrets.ts';
import { Recovery1763164800096 } from '../../migrations/front-door/1763164800096-recovery.ts';
import { BoundTokens1763164800260 } from '../../migrations/front-door/1763164800260-bound-tokens.ts';
import { SecretVersions1763164800027 } from '../../migrations/front-door/1763164800027-secret-versions.ts';
import { AccountClientsHttp } from './account-clients.http.ts';
import { ClientAuthenticator, SECRET_HASHES } from './client-authenticator.service.ts';
import { ClientRegistryBus } from './client-registry.bus.ts';
import { ClientRegistry } from './client-registry.service.ts';
import { CLIENT_LOOKUP, CLIENTS as PUBLISHED_CLIENTS } from './client-row.ts';
import { PEPPERS } from './client-secret.ts';
import { EndedSecrets } from './ended-secrets.worker.ts';
import { LocalSecretHashes } from './local-secret-hashes.service.ts';
import { Peppers } from './peppers.service.ts';
import { RemoteSecretHashes } from './remote-secret-hashes.service.ts';
import { CLIENT_ROWS, ClientsReplica } from './clients-replica.service.ts';
import { ClientsStore } from './clients.store.ts';
import { ClientsTable } from './clients-table.service.ts';
import { OperatorRequestsBus } from './operator-requests.bus.ts';
import { OperatorRequests } from './operator-requests.service.ts';
import { OrphanedClients } from './orphaned-clients.worker.ts';
import { SECRET_REPLACED } from './secret-replaced.hook.ts';
import { ClientEntity, ClientPatternEntity, UsedAssertionEntity, WithdrawnClientEntity } from './client.entity.ts';
import { ASSERTIONS_DB, UsedAssertions } from './used-assertions.store.ts';
import { FRONT_DOOR_DB, REGION_DB } from '../../kit/databases.ts';
import { METRICS } from './metrics.ts';
import { ClientKeys1763164800252 } from '../../migrations/front-door/1763164800252-client-keys.ts';
import { UsedAssertions1763164800251 } from '../../migrations/region/1763164800251-used-assertions.ts';
import { reconcileClients } from './after-restore.service.ts';

const FOLLOWED_CLIENTS: Followed = { table: PUBLISHED_CLIENTS, as: CLIENT_ROWS, check: 'clients' };

function configurePeppers(config: FrontDoorConfig) {
  const peppers = new Peppers(LiveVariable.of(FrontDoorConfig, config, 'CLIENT_SECRET_PEPPER'));
  return { providers: [{ provide: PEPPERS, useValue: peppers }], keys: [peppers] };
}

/** The programs that call the platform: their registry, their secrets, and what each may call. @spec D1-2.1 @spec D1-5.7 */
export const CLIENT_REGISTRY: Capability = {
  name: 'clients',
  uses: [AUDIT, REGIONS, IDENTITY],
  tables: {
    frontDoor: [ClientEntity, ClientPatternEntity, WithdrawnClientEntity, UsedAssertionEntity],
    region: [{ entity: UsedAssertionEntity, stays: 'an assertion names the base that it is for' }],
  },
  reads: { account: 'a client is published with the level of its company and whether it is disabled, many in one statement' },
  afterRestore: {
    frontDoor: {
      first: [reconcileClients],
      covers: [
        'account.disabled',
        'account.enabled',
        'client.created',
        'client.deleted',
        'client.disabled',
        'client.enabled',
        'client.keys_changed',
        'client.secret_replaced',
        'level.changed',
      ],
    },
    region: { nothing: 'an assertion that was used since the copy has expired five minutes later' },
  },
  metrics: METRICS,
  migrations: {
    region: [UsedAssertions1763164800251],
    frontDoor: [
      Registry1763164800001,
      AccountsAndGrants1763164800003,
      WithdrawnClients1763164800014,
      SessionLimits1763164800015,
      TwoSecrets1763164800018,
      SecretVersions1763164800027,
      Recovery1763164800096,
      ClientKeys1763164800252,
      BoundTokens1763164800260,
    ],
  },
  publishes: [PUBLISHED_CLIENTS],
  offers: [SECRET_REPLACED],
  parts: {
    'front-door': {
      bus: [ClientRegistryBus, OperatorRequestsBus],
      workers: [OrphanedClients, EndedSecrets],
      providers: [
        ClientsStore,
        ClientsTable,
        ClientsReplica,
        { provide: CLIENT_LOOKUP, useExisting: ClientsTable },
        ClientAuthenticator,
        UsedAssertions,
        { provide: ASSERTIONS_DB, useExisting: FRONT_DOOR_DB },
        LocalSecretHashes,
        { provide: SECRET_HASHES, useExisting: LocalSecretHashes },
        ClientRegistry,
        OperatorRequests,
      ],
      follows: [FOLLOWED_CLIENTS],
      configure: configurePeppers,
    },
    region: {
      http: [AccountClientsHttp],
      providers: [
        ClientsReplica,
        { provide: CLIENT_LOOKUP, useExisting: ClientsReplica },
        ClientAuthenticator,
        UsedAssertions,
        { provide: ASSERTIONS_DB, useExisting: REGION_DB },
        { provide: SECRET_HASHES, useClass: RemoteSecretHashes },
      ],
      follows: [FOLLOWED_CLIENTS],
    },
  },
};
