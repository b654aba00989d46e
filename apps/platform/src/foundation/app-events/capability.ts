import { APP_EVENT_SUBJECTS } from '@codase/contracts';
import type { Capability } from '../../kit/capability.ts';
import { AppEvents1763164800028 } from '../../migrations/region/1763164800028-app-events.ts';
import { answeredBy, PEERS } from '../peers/index.ts';
import { REGIONS } from '../regions/index.ts';
import { AppEventsHttp } from './app-events.http.ts';
import { METRICS } from './metrics.ts';
import { LogReader, APP_EVENTS_DB } from './log-reader.service.ts';
import { AppEventNotifications } from './app-event-notifications.worker.ts';
import { AppEventOutbox } from './app-event-outbox.service.ts';
import { APP_EVENT_PRESENTERS } from './presenters.hook.ts';
import { AppEventRetention } from './app-event-retention.worker.ts';
import { AppEventStreams } from './app-event-streams.service.ts';
import { AppEventLogEntity, AppEventEntity, AppEventOutboxEntity } from './app-event.entity.ts';
import { renewLogs } from './events.store.ts';

/** Events that reach the phones of persons at once. @gap D1-1 */
export const APP_EVENTS: Capability = {
  name: 'app-events',
  uses: [REGIONS, PEERS],
  tables: {
    region: [
      { entity: AppEventLogEntity, stays: 'of persons, who do not move' },
      { entity: AppEventEntity, stays: 'of persons, who do not move' },
      { entity: AppEventOutboxEntity, stays: 'handed over from where it was written, wherever the company lives by then' },
    ],
  },
  reads: { profile: 'events are stored, and read by many streams at once, for persons at home here, in one statement each' },
  afterRestore: { region: { first: [({ tx }) => renewLogs(tx)] } },
  migrations: { region: [AppEvents1763164800028] },
  metrics: METRICS,
  offers: [APP_EVENT_PRESENTERS],
  parts: {
    region: {
      http: [AppEventsHttp],
      bus: [answeredBy(APP_EVENT_SUBJECTS, AppEventOutbox)],
      workers: [AppEventNotifications, AppEventRetention],
      providers: [AppEventOutbox, AppEventStreams, LogReader],
      pools: [{ as: APP_EVENTS_DB, name: 'app-events', size: 3 }],
    },
  },
};
