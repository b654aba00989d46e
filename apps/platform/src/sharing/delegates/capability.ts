import { DELEGATION_SUBJECTS } from '@codase/contracts';
import { APP_EVENT_PRESENTERS, APP_EVENTS } from '../../foundation/app-events/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CONNECTIONS } from '../connections/index.ts';
import { contribute } from '../../kit/hooks.ts';
import { DelegationPatterns1763164800102 } from '../../migrations/front-door/1763164800102-delegation-patterns.ts';
import { Delegates1763164800101 } from '../../migrations/region/1763164800101-delegates.ts';
import { AcceptedDelegates1763164800240 } from '../../migrations/region/1763164800240-accepted-delegates.ts';
import { COMPANY_ARRIVES, MOVES } from '../../storage/moves/index.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { SERVICES } from '../../services/services/index.ts';
import { TOKENS } from '../../access/tokens/index.ts';
import { CompanyDelegations } from './company-delegations.service.ts';
import { DelegateNames } from './delegate-names.service.ts';
import { DelegatesHttp } from './delegates.http.ts';
import { Delegates, LOG_KINDS } from './delegates.service.ts';
import { DelegatingCompanies } from './delegating-companies.service.ts';
import { DelegationsHttp } from './delegations.http.ts';
import { Delegations } from './delegations.service.ts';
import { DeletedDelegates } from './deleted-delegates.service.ts';
import { METRICS } from './metrics.ts';
import { DelegateEntity, DelegateGrantEntity, DelegatingCompanyEntity } from './delegate.entity.ts';
import { noteDelegationsAgain, repeatChangesOfDelegates } from './after-restore.store.ts';

const { noteDelegating, delegateNames, ...ofDelegates } = DELEGATION_SUBJECTS;

/** Users who may work for a company, and the keys of services that it hands to them. Delegates live with the company. @spec D1-5.8 */
export const DELEGATES_CAPABILITY: Capability = {
  name: 'delegates',
  uses: [AUDIT, REGIONS, PEERS, MOVES, TOKENS, SERVICES, CONNECTIONS, APP_EVENTS],
  tables: {
    region: [
      { entity: DelegateEntity, moves: { owner: 'company_user_id', key: 'delegate_id' } },
      { entity: DelegateGrantEntity, moves: { owner: 'company_user_id', key: 'grant_id' } },
      { entity: DelegatingCompanyEntity, moves: { owner: 'user_id', key: 'company_user_id' } },
    ],
  },
  reads: {
    profile: 'delegations are listed with their companies, and names of many users are read, in one statement each',
    service: 'grants are listed and read with their services, without those that are being deleted, in one statement',
    deleted_account: 'delegates of a company that has just come, and notes after a restore, are compared with all deleted accounts at once',
  },
  afterRestore: {
    region: {
      first: [repeatChangesOfDelegates],
      last: [noteDelegationsAgain],
      covers: ['delegate.accepted', 'delegate.removed', 'delegate.left', 'delegate.revoked', 'delegate.key_read', 'delegate.key_withdrawn'],
    },
  },
  migrations: { frontDoor: [DelegationPatterns1763164800102], region: [Delegates1763164800101, AcceptedDelegates1763164800240] },
  metrics: METRICS,
  logKinds: LOG_KINDS,
  parts: {
    region: {
      http: [DelegatesHttp, DelegationsHttp],
      bus: [
        answeredBy({ noteDelegating }, DelegatingCompanies),
        answeredBy({ delegateNames }, DelegateNames),
        answeredBy(ofDelegates, CompanyDelegations),
      ],
      providers: [Delegates, DelegateNames, DelegatingCompanies, CompanyDelegations, Delegations, DeletedDelegates],
      contributes: [contribute(COMPANY_ARRIVES, DeletedDelegates), contribute(APP_EVENT_PRESENTERS, Delegations)],
    },
  },
};
