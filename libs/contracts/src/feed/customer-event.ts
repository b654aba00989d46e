import { z } from 'zod';
import { named } from '../core/named.ts';
import { Id, Timestamp } from '../core/text.ts';

/**
 * An event of a customer's own feed: something of a connection changed, and its id says where to read it. It carries no values.
 * @spec D1-4.6 @gap D1-4.6
 */
export const CustomerEvent = named(
  'CustomerEvent',
  z.strictObject({
    id: Id,
    event: z.enum([
      'connection_deleted',
      'connection_requested',
      'fields_requested',
      'document_created',
      'document_updated',
      'document_deleted',
      'document_status_changed',
      'flow_run_turn',
      'flow_completed',
      'message_received',
    ]),
    service_id: Id,
    connection_id: Id.nullable(),
    document_id: Id.optional(),
    flow_run_id: Id.optional(),
    message_id: Id.optional(),
    request_id: Id.optional(),
    at: Timestamp,
  }),
);
export type CustomerEvent = z.infer<typeof CustomerEvent>;
