import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability, Followed } from '../../kit/capability.ts';
import { VerificationProviders1763164800330 } from '../../migrations/front-door/1763164800330-verification-providers.ts';
import { REGISTRY } from '../registry/index.ts';
import { reconcileProviders } from './after-restore.service.ts';
import { Attestations } from './attestations.service.ts';
import { METRICS } from './metrics.ts';
import { OperatorProvidersBus } from './operator-providers.bus.ts';
import { OperatorProviders } from './operator-providers.service.ts';
import { PROVIDER_ROWS, PROVIDERS } from './provider-rows.ts';
import { ProvidersHttp } from './providers.http.ts';
import { ProvidersStore } from './providers.store.ts';
import { VerificationProviderEntity } from './verification-provider.entity.ts';

const FOLLOWED_PROVIDERS: Followed = { table: PROVIDERS, as: PROVIDER_ROWS, check: 'verification providers' };

/** Who may verify values of profiles, and which of the verifications that values have hold. @gap D1-2.7 */
export const VERIFICATION_PROVIDERS: Capability = {
  name: 'verification-providers',
  uses: [AUDIT, REGISTRY],
  tables: { frontDoor: [VerificationProviderEntity] },
  afterRestore: {
    frontDoor: {
      first: [reconcileProviders],
      covers: [
        'verification_provider.added',
        'verification_provider.key_added',
        'verification_provider.key_revoked',
        'verification_provider.removed',
        'verification_provider.reconciled',
      ],
    },
  },
  migrations: { frontDoor: [VerificationProviders1763164800330] },
  publishes: [PROVIDERS],
  metrics: METRICS,
  parts: {
    'front-door': {
      http: [ProvidersHttp],
      bus: [OperatorProvidersBus],
      providers: [ProvidersStore, OperatorProviders],
      follows: [FOLLOWED_PROVIDERS],
    },
    region: { providers: [Attestations], follows: [FOLLOWED_PROVIDERS] },
  },
};
