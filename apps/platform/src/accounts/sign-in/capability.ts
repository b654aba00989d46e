import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CLIENT_REGISTRY } from '../../access/clients/index.ts';
import { contribute } from '../../kit/hooks.ts';
import { IDENTITY } from '../../access/identity/index.ts';
import { AccountsAndGrants1763164800003 } from '../../migrations/front-door/1763164800003-accounts-and-grants.ts';
import { EnrolmentConnections1763164800013 } from '../../migrations/front-door/1763164800013-enrolment-connections.ts';
import { Enrolling1763164800037 } from '../../migrations/front-door/1763164800037-enrolling.ts';
import { SecondFactor1763164800099 } from '../../migrations/front-door/1763164800099-second-factor.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { SECOND_FACTOR } from '../../access/second-factor/index.ts';
import { SIGN_IN_APPS } from '../sign-in-apps/index.ts';
import { EXPIRED_ROWS, TOKENS } from '../../access/tokens/index.ts';
import { AskingClients } from './asking-clients.service.ts';
import { EnrolmentHandOver } from './enrolment-hand-over.worker.ts';
import { Enrolments } from './enrolments.service.ts';
import { EnrolmentsStore } from './enrolments.store.ts';
import { FIRST_PARTY_REDIRECTS, FirstParty } from './first-party.service.ts';
import { METRICS } from './metrics.ts';
import { forgetOldEnrolments } from './old-enrolments.store.ts';
import { SignInHttp } from './sign-in.http.ts';
import { forgetSignInSteps, SignInStepsStore } from './sign-in-steps.store.ts';
import { SignIn } from './sign-in.service.ts';
import { DetachedResultEntity, EnrolmentEntity, SignInStepEntity } from './enrolment.entity.ts';

/** The page on which people and companies sign in, and persons enrol for approvals. @spec D1-5.5 @spec D1-4.5 */
export const SIGN_IN: Capability = {
  name: 'sign-in',
  uses: [AUDIT, REGIONS, IDENTITY, CLIENT_REGISTRY, TOKENS, SECOND_FACTOR, SIGN_IN_APPS],
  tables: { frontDoor: [EnrolmentEntity, DetachedResultEntity, SignInStepEntity] },
  afterRestore: { frontDoor: { last: [forgetOldEnrolments, forgetSignInSteps] } },
  migrations: {
    frontDoor: [AccountsAndGrants1763164800003, EnrolmentConnections1763164800013, Enrolling1763164800037, SecondFactor1763164800099],
  },
  metrics: METRICS,
  parts: {
    'front-door': {
      http: [SignInHttp],
      workers: [EnrolmentHandOver],
      providers: [AskingClients, SignIn, SignInStepsStore, EnrolmentsStore, Enrolments, FirstParty],
      contributes: [contribute(EXPIRED_ROWS, EnrolmentsStore), contribute(EXPIRED_ROWS, SignInStepsStore)],
      configure: ({ FIRST_PARTY_REDIRECTS: redirects }) => ({
        providers: [{ provide: FIRST_PARTY_REDIRECTS, useValue: redirects ?? {} }],
      }),
    },
  },
};
