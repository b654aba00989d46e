import type { CustomerEventBody, CustomerEventReference } from '@codase/contracts';
import type { z } from 'zod';

/** An event for the feed of a company that is a customer. */
export interface NewCustomerEvent {
  customer_user_id: string;
  event: CustomerEventBody;
}

/** An event with its id, as regions hand it over and store it. */
export type CustomerEventRow = z.output<typeof CustomerEventReference>;

/** A customer of a service, and whether it is a company. */
interface Customer {
  customer_user_id: string;
  customer_type: 'person' | 'company';
  service_id: string;
  connection_id: string;
}

type Members<E = CustomerEventBody> = E extends CustomerEventBody ? Omit<E, 'service_id' | 'connection_id' | 'at'> : never;

/** Returns the events for the own feeds of those customers that are companies; persons get events on their phones instead. @spec D1-4.6 */
export const companyEvents = (customers: readonly Customer[], members: Members, at: Date): NewCustomerEvent[] =>
  customers
    .filter(({ customer_type }) => customer_type === 'company')
    .map(({ customer_user_id, service_id, connection_id }) => ({
      customer_user_id,
      event: { ...members, service_id, connection_id, at: at.toISOString() },
    }));
