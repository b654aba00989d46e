import { customerDocuments, customerFeed, customerMessages, type CustomerEvent } from '@codase/contracts';
import { Connections } from './connections.ts';
import { ReceivedDocuments } from './documents.ts';
import { CustomerRuns } from './flow-runs.ts';
import { CustomerMessages } from './messages.ts';
import { Facet } from './stranger.ts';

/** What a company does as a customer of other companies, at the portal or by an account client. @spec D1-5.8 */
export class AsCustomer extends Facet {
  readonly connections = new Connections(this.actor);
  readonly messages = new CustomerMessages(this.actor, customerMessages);
  readonly documents = new ReceivedDocuments(this.actor, customerDocuments);
  readonly flows = new CustomerRuns(this.actor);

  /** Reads the oldest events of the company's own feed, and deletes them by reading. @spec D1-4.6 */
  async drains(): Promise<CustomerEvent[]> {
    return (await this.actor.asks(customerFeed.drainCustomerChanges, {})).events;
  }
}
