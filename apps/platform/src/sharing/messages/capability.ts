import { MESSAGE_SUBJECTS } from '@codase/contracts';
import { APP_EVENT_PRESENTERS, APP_EVENTS } from '../../foundation/app-events/index.ts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CONNECTIONS } from '../connections/index.ts';
import { FEED } from '../../services/feed/index.ts';
import { contribute } from '../../kit/hooks.ts';
import { Messages1763164800044 } from '../../migrations/region/1763164800044-messages.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { SERVICES } from '../../services/services/index.ts';
import { TOKENS } from '../../access/tokens/index.ts';
import { CustomerMessagesHttp } from './customer-messages.http.ts';
import { CustomerMessages } from './customer-messages.service.ts';
import { MessageLists } from './message-lists.service.ts';
import { MessageRetention } from './message-retention.worker.ts';
import { MessagesHttp } from './messages.http.ts';
import { METRICS } from './metrics.ts';
import { ServiceMessages } from './service-messages.service.ts';
import { MessageEntity } from './message.entity.ts';

/** The messages between services and their customers. Messages live in the region of the connection. @spec D1-4.2 */
export const MESSAGES: Capability = {
  name: 'messages',
  uses: [AUDIT, REGIONS, PEERS, TOKENS, FEED, SERVICES, CONNECTIONS, APP_EVENTS],
  tables: { region: [{ entity: MessageEntity, moves: { owner: 'company_user_id', key: 'message_id' } }] },
  reads: { profile: 'counts over many companies leave out those that are not at home, in one statement' },
  afterRestore: { region: { nothing: 'messages since the copy are lost, and nothing else has them' } },
  migrations: { region: [Messages1763164800044] },
  metrics: METRICS,
  parts: {
    region: {
      http: [MessagesHttp, CustomerMessagesHttp],
      bus: [answeredBy(MESSAGE_SUBJECTS, CustomerMessages)],
      workers: [MessageRetention],
      providers: [ServiceMessages, CustomerMessages, MessageLists],
      contributes: [contribute(APP_EVENT_PRESENTERS, MessageLists)],
    },
  },
};
