import { messages, personMessages, type Output } from '@codase/contracts';
import type { Alike } from './alike.ts';
import type { OwnConnection } from './connections.ts';
import { seals, type Recipient } from './keys.ts';
import { Facet, type Asks } from './stranger.ts';

type Message = Output<typeof personMessages.listMessages>['items'][number];
type Sent = Output<typeof messages.sendMessage>;
type OnConnection = Pick<Sent, 'connection_id'>;

/** The messages that a customer (a person on the phone, or a company) writes to services and reads. @spec D1-4.2 */
export class CustomerMessages extends Facet {
  constructor(
    customer: Asks,
    private readonly contracts: Alike<typeof personMessages> = personMessages,
  ) {
    super(customer);
  }

  async writes({ id, service }: OwnConnection, text: string): Promise<Sent> {
    return this.sends(id, await seals(service, text));
  }

  /** Sends a body that is sealed already. */
  sends(connection_id: string, body: string): Promise<Sent> {
    return this.actor.asks(this.contracts.writeMessage, { body: { connection_id, body } });
  }

  /** Lists the messages of a connection, newest first. */
  async lists({ id }: Pick<OwnConnection, 'id'>): Promise<Message[]> {
    return (await this.page(id)).items;
  }

  page(connection_id: string, paging: { limit?: number; cursor?: string } = {}): Promise<Output<typeof personMessages.listMessages>> {
    return this.actor.asks(this.contracts.listMessages, { query: { connection_id, ...paging } });
  }

  reads({ connection_id, message_id }: Pick<Sent, 'connection_id' | 'message_id'>): Promise<unknown> {
    return this.actor.asks(this.contracts.readMessages, { body: { connection_id, message_id } });
  }

  async unread(): Promise<Output<typeof personMessages.listUnread>['items']> {
    return (await this.actor.asks(this.contracts.listUnread, {})).items;
  }
}

/** The messages that a company's backend writes to the customers of its service and acknowledges. @spec D1-4.2 */
export class ServiceMessages extends Facet {
  async writes({ connection_id }: OnConnection, reader: Recipient, text: string): Promise<Sent> {
    return this.sends(connection_id, await seals(reader, text));
  }

  sends(connectionId: string, body: string): Promise<Sent> {
    return this.actor.asks(messages.sendMessage, { params: { connectionId }, body: { body } });
  }

  async broadcasts(some: readonly { connection_id: string; body: string }[]): Promise<Sent[]> {
    return (await this.actor.asks(messages.broadcastMessage, { body: { messages: [...some] } })).messages;
  }

  acknowledges({ connection_id: connectionId, message_id }: Pick<Sent, 'connection_id' | 'message_id'>): Promise<unknown> {
    return this.actor.asks(messages.acknowledgeMessages, { params: { connectionId }, body: { message_id } });
  }

  async unread(): Promise<Output<typeof messages.listUnreadMessages>['items']> {
    return (await this.actor.asks(messages.listUnreadMessages, { query: {} })).items;
  }
}
