import { z } from 'zod';
import { peerWrite } from '../core/peer-subjects.ts';
import { Id, Traceparent } from '../core/text.ts';
import { CustomerEvent } from './customer-event.ts';

/** An event for the feed of a customer, as regions hand it over. */
export const CustomerEventReference = z.strictObject({ user_id: Id, event: CustomerEvent, traceparent: Traceparent.nullable() });

/** Sent by the region of a service to the home region of its customers. */
export const CUSTOMER_FEED_SUBJECTS = {
  /** Stores events, each once while it waits. Answers the events whose customer is not at home there, or is moving. */
  store: peerWrite(
    'store_customer_events',
    { speaksFor: { nobody: 'the customers are at home in the region that answers' } },
    z.strictObject({ events: z.array(CustomerEventReference).max(100) }),
    z.object({ elsewhere: z.array(Id) }),
  ),
} as const;
