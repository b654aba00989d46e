import { customerDocuments, customerFeed, customerMessages, type CustomerEvent } from '@codase/contracts';
import { Connections } from './connections.ts';
import { HeldDocuments } from './documents.ts';
import { CustomerRuns } from './flow-runs.ts';
import { CustomerMessages } from './messages.ts';
import type { Stranger } from './stranger.ts';

/** What a company does as a customer of other companies, at the portal or by an account client. @spec D1-5.8 */
export class AsCustomer {
  readonly connections: Connections;
  readonly messages: CustomerMessages;
  readonly documents: HeldDocuments;
  readonly flows: CustomerRuns;
  private readonly company: Pick<Stranger, 'asks'>;

  constructor(company: Pick<Stranger, 'asks'>) {
    this.company = company;
    this.connections = new Connections(company);
    this.messages = new CustomerMessages(company, customerMessages);
    this.documents = new HeldDocuments(company, customerDocuments);
    this.flows = new CustomerRuns(company);
  }

  /** Reads the oldest events of the company's own feed, and deletes them by reading. @spec D1-4.6 */
  async drains(): Promise<CustomerEvent[]> {
    return (await this.company.asks(customerFeed.drainCustomerChanges, {})).events;
  }
}
