import { CONNECT_REQUEST_SUBJECTS } from '@codase/contracts';
import { AUDIT } from '../../foundation/audit/index.ts';
import { APP_EVENT_PRESENTERS, APP_EVENTS } from '../../foundation/app-events/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CONNECTION_BEGINS, CONNECTIONS } from '../connections/index.ts';
import { FEED } from '../../services/feed/index.ts';
import { contribute } from '../../kit/hooks.ts';
import { ConnectRequests1763164800045 } from '../../migrations/region/1763164800045-connect-requests.ts';
import { COMPANY_ARRIVES, MOVES } from '../../storage/moves/index.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { SERVICES } from '../../services/services/index.ts';
import { AcceptedRequests } from './accepted-requests.service.ts';
import { ConnectRequestAnswers } from './connect-request-answers.service.ts';
import { ConnectRequestSender } from './connect-request-sender.service.ts';
import { ConnectRequestsHttp } from './connect-requests.http.ts';
import { DeletedPersons } from './deleted-persons.service.ts';
import { Invitations } from './invitations.service.ts';
import { METRICS } from './metrics.ts';
import { ConnectRequestRetention } from './connect-request-retention.worker.ts';
import { AskingCompanyEntity, ConnectRequestEntity } from './connect-request.entity.ts';

const { noteAsking, ...ofPersons } = CONNECT_REQUEST_SUBJECTS;

/** Services that ask persons to connect. Requests live with the company. @spec D1-4.2 */
export const CONNECT_REQUESTS_CAPABILITY: Capability = {
  name: 'connect-requests',
  uses: [AUDIT, REGIONS, PEERS, MOVES, FEED, SERVICES, CONNECTIONS, APP_EVENTS],
  tables: {
    region: [
      { entity: ConnectRequestEntity, moves: { owner: 'company_user_id', key: 'request_id' } },
      { entity: AskingCompanyEntity, stays: 'of persons, who do not move' },
    ],
  },
  reads: {
    profile:
      'lists over many companies tell those that are at home from the others, and notes are made for persons at home, in one statement',
    deleted_account: 'the requests of a company that has just come are compared with all accounts that were deleted, in one statement',
  },
  afterRestore: { region: { nothing: 'a request that was answered since waits again, and its person answers once more' } },
  migrations: { region: [ConnectRequests1763164800045] },
  metrics: METRICS,
  parts: {
    region: {
      http: [ConnectRequestsHttp],
      bus: [answeredBy({ noteAsking }, ConnectRequestSender), answeredBy(ofPersons, ConnectRequestAnswers)],
      workers: [ConnectRequestRetention],
      providers: [ConnectRequestSender, ConnectRequestAnswers, AcceptedRequests, DeletedPersons, Invitations],
      contributes: [
        contribute(CONNECTION_BEGINS, AcceptedRequests),
        contribute(COMPANY_ARRIVES, DeletedPersons),
        contribute(APP_EVENT_PRESENTERS, Invitations),
      ],
    },
  },
};
