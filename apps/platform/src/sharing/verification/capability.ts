import { TOKENS } from '../../access/tokens/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { VerificationRequests1763164800331 } from '../../migrations/region/1763164800331-verification-requests.ts';
import { VerifiedValues1763164800332 } from '../../migrations/region/1763164800332-verified-values.ts';
import { REGISTRY } from '../../services/registry/index.ts';
import { VERIFICATION_PROVIDERS } from '../../services/verification-providers/index.ts';
import { CONNECTIONS } from '../connections/index.ts';
import { PEOPLE } from '../people/index.ts';
import { unverifyAgain } from './after-restore.service.ts';
import { ATTESTED_ANSWERS } from './attested-answers.hook.ts';
import { EndedVerifications } from './ended-verifications.worker.ts';
import { METRICS } from './metrics.ts';
import { ProviderCalls } from './provider-calls.service.ts';
import { RequestsStore } from './requests.store.ts';
import { VerificationRequestEntity } from './verification-request.entity.ts';
import { VerificationRequests } from './verification-requests.service.ts';
import { VerificationHttp } from './verification.http.ts';

/** How values of profiles get verified, and how that ends. @spec D1-2.7 @gap D1-2.7 */
export const VERIFICATION: Capability = {
  name: 'verification',
  uses: [AUDIT, REGIONS, TOKENS, REGISTRY, VERIFICATION_PROVIDERS, CONNECTIONS, PEOPLE],
  tables: {
    region: [{ entity: VerificationRequestEntity, stays: 'a request is open for a day: after a move its user makes another one' }],
  },
  afterRestore: {
    region: {
      last: [unverifyAgain],
      covers: ['field.unverified', 'verification.requested', 'verification.withdrawn'],
    },
  },
  migrations: { region: [VerificationRequests1763164800331, VerifiedValues1763164800332] },
  metrics: METRICS,
  offers: [ATTESTED_ANSWERS],
  parts: {
    region: {
      http: [VerificationHttp],
      workers: [EndedVerifications],
      providers: [RequestsStore, VerificationRequests, ProviderCalls],
    },
  },
};
