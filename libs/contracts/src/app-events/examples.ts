import type { Examples } from '../core/example.ts';
import { twofaExamples } from '../twofa/examples.ts';

const [CARD] = (twofaExamples['list_challenges']!.result as { items: object[] }).items;
const ID = 'log_p3Xk9dQ2-17';
const RAISED = { id: ID, event: 'challenge_raised', data: CARD };

/** Examples, by the names of the endpoints. */
export const appEventsExamples: Examples = {
  stream_app_events: { headers: { 'last-event-id': 'log_p3Xk9dQ2-16' }, result: RAISED },
  list_app_events: { query: { after: 'log_p3Xk9dQ2-16', limit: 50 }, result: { events: [RAISED], last_event_id: ID, more: false } },
};
