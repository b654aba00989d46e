import { z } from 'zod';
import { named } from '../core/named.ts';
import { Id, Timestamp } from '../core/text.ts';

/** The members of every event: which connection it is about, and with which service. */
const every = { id: Id, service_id: Id, connection_id: Id, at: Timestamp };
const event = <const N extends string, S extends z.ZodRawShape>(name: N, members: S) =>
  z.strictObject({ event: z.literal(name), ...every, ...members });

const ofDocument = { document_id: Id };
const ofRun = { flow_run_id: Id };

/** An event for a company that is a customer: the ids say where to read what changed. It carries no values. @spec D1-4.6 @gap D1-4.6 */
export const CustomerEvent = named(
  'CustomerEvent',
  z.discriminatedUnion('event', [
    // The connection is over, whichever side ended it. @spec D1-4.2
    event('connection_deleted', {}),
    // The service asks for more than before.
    event('fields_requested', {}),
    event('document_created', ofDocument),
    event('document_updated', ofDocument),
    event('document_deleted', ofDocument),
    // The company itself signed, accepted or cancelled the document, through any of its clients.
    event('document_status_changed', ofDocument),
    event('flow_run_turn', ofRun),
    event('flow_completed', ofRun),
    event('message_received', { message_id: Id }),
  ]),
);
export type CustomerEvent = z.infer<typeof CustomerEvent>;

/** An event before it has its id. */
export type CustomerEventBody = CustomerEvent extends infer E ? (E extends CustomerEvent ? Omit<E, 'id'> : never) : never;

/** Returns the key of events of which only the latest between two drains is delivered; null for others. @spec D1-6.2 @gap D1-4.6 */
export function customerCollapseKey(body: CustomerEventBody): string | null {
  if (body.event === 'document_status_changed') return `document_status:${body.document_id}`;
  return body.event === 'fields_requested' ? `fields:${body.connection_id}` : null;
}
