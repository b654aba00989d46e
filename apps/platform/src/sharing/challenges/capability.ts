import type { DataSource } from 'typeorm';
import { CHALLENGE_OUTCOME_HOURS, CHALLENGE_RATE, CHALLENGE_SECONDS, CHALLENGE_SUBJECTS, PENDING_CHALLENGES } from '@codase/contracts';
import { APP_EVENT_PRESENTERS, APP_EVENTS } from '../../foundation/app-events/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CLIENT_REGISTRY } from '../../access/clients/index.ts';
import { CONNECTION_ENDS, CONNECTIONS } from '../connections/index.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { FEED } from '../../services/feed/index.ts';
import { contribute } from '../../kit/hooks.ts';
import { Challenges1763164800030 } from '../../migrations/region/1763164800030-challenges.ts';
import { ChallengeTraces1763164800039 } from '../../migrations/region/1763164800039-challenge-traces.ts';
import { BASES, FrontDoorRequests, HERE, Home, REGIONS, type Bases, type Here } from '../../foundation/regions/index.ts';
import { SERVICE_CLIENT_ENDS, SERVICES } from '../../services/services/index.ts';
import { TOKENS } from '../../access/tokens/index.ts';
import { ChallengeAnswers } from './challenge-answers.service.ts';
import { ApprovalsHttp } from './approvals.http.ts';
import { Approvals } from './approvals.service.ts';
import { CardPresenter } from './card-presenter.service.ts';
import { ChallengeRetention } from './challenge-retention.worker.ts';
import { ChallengesBus } from './challenges.bus.ts';
import { ChallengesHttp } from './challenges.http.ts';
import { ChallengeCloser } from './challenge-closer.service.ts';
import { Enrolments } from './enrolments.service.ts';
import { ExpiredChallenges } from './expired-challenges.worker.ts';
import { METRICS } from './metrics.ts';
import { ChallengePoller, DELIVERIES_AT_ONCE, POLL_WRITES } from './challenge-poller.service.ts';
import { CHALLENGE_LIMITS, type ChallengeLimits } from './raise-limits.ts';
import { ChallengeRaiser } from './challenge-raiser.service.ts';
import { TwofaEnrolmentEntity, ChallengeEntity } from './challenge.entity.ts';
import { closeChallenges, revokeEnrolmentsAgain } from './after-restore.store.ts';

const POLL_DB = Symbol('connections of polls that deliver an outcome');

/** Polls write in the same way as other requests, on connections of their own. */
const pollWrites = (db: DataSource, frontDoor: FrontDoorRequests, bases: Bases, here: Here) => new Home(db, frontDoor, bases, here);

const DEFAULT_LIMITS: ChallengeLimits = {
  lifetime_seconds: CHALLENGE_SECONDS,
  outcome_hours: CHALLENGE_OUTCOME_HOURS,
  pending: PENDING_CHALLENGES,
  rate: CHALLENGE_RATE,
};

const { enrolments, revokeEnrolment, ...ofChallenges } = CHALLENGE_SUBJECTS;

/** Logins that a connected person approves on the phone. Enrolments and challenges live with the company. @spec D1-2.10 @spec D1-3.1 */
export const CHALLENGES: Capability = {
  name: 'challenges',
  uses: [AUDIT, REGIONS, PEERS, CLIENT_REGISTRY, TOKENS, FEED, SERVICES, CONNECTIONS, APP_EVENTS],
  tables: {
    region: [
      { entity: TwofaEnrolmentEntity, moves: { owner: 'company_user_id', key: 'enrolment_id' } },
      { entity: ChallengeEntity, moves: { owner: 'company_user_id', key: 'challenge_id', names: { connection_id: ['connection'] } } },
    ],
  },
  reads: {
    service: 'cards and enrolments name their services: many at once, in one statement',
    profile: 'lists over many companies leave out those that are not at home, in one statement',
  },
  afterRestore: {
    region: { first: [revokeEnrolmentsAgain], last: [closeChallenges], covers: ['enrolment.revoked', 'challenge.answered'] },
  },
  migrations: { region: [Challenges1763164800030, ChallengeTraces1763164800039] },
  metrics: METRICS,
  parts: {
    region: {
      http: [ChallengesHttp, ApprovalsHttp],
      bus: [
        ChallengesBus,
        answeredBy(ofChallenges, ChallengeAnswers),
        answeredBy({ list: enrolments, revoke: revokeEnrolment }, Enrolments),
      ],
      workers: [ExpiredChallenges, ChallengeRetention],
      providers: [
        ChallengeCloser,
        ChallengeRaiser,
        ChallengePoller,
        ChallengeAnswers,
        Enrolments,
        Approvals,
        CardPresenter,
        { provide: POLL_WRITES, useFactory: pollWrites, inject: [POLL_DB, FrontDoorRequests, BASES, HERE] },
      ],
      contributes: [
        contribute(CONNECTION_ENDS, Enrolments),
        contribute(SERVICE_CLIENT_ENDS, Enrolments),
        contribute(APP_EVENT_PRESENTERS, CardPresenter),
      ],
      pools: [{ as: POLL_DB, name: 'polls', size: DELIVERIES_AT_ONCE }],
      configure: ({ CHALLENGE_LIMITS: given }) => ({
        providers: [{ provide: CHALLENGE_LIMITS, useValue: { ...DEFAULT_LIMITS, ...given } satisfies ChallengeLimits }],
      }),
    },
  },
};
