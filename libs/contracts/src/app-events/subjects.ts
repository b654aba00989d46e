import { z } from 'zod';
import { peerWrite } from '../core/peer-subjects.ts';
import { Id, Timestamp, Traceparent } from '../core/text.ts';
import { AppEventKind } from './events.ts';

/** An event as regions hand it over: ids only. Its data is read from its own row when it is sent to a phone. */
export const AppEventReference = z.strictObject({
  event_id: Id,
  person_user_id: Id,
  company_user_id: Id,
  kind: AppEventKind,
  object_id: Id,
  created_at: Timestamp,
  traceparent: Traceparent.nullable(),
});

/** Sent by the region where something happened to the home region of the persons who get the event. */
export const APP_EVENT_SUBJECTS = {
  /** Stores events, each once. Answers the events whose person is not at home there. */
  store: peerWrite(
    'store_app_events',
    { speaksFor: { nobody: 'events name the companies that caused them, and a company may have moved away since' } },
    z.strictObject({ events: z.array(AppEventReference).max(100) }),
    z.object({ elsewhere: z.array(Id) }),
  ),
} as const;
