import { Controller } from '@nestjs/common';
import { customerMessages as company, MESSAGE_SUBJECTS, personMessages as person, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { userOf } from '../../access/tokens/index.ts';
import { Peers } from '../../foundation/peers/index.ts';
import { readCursor } from '../../kit/paging.ts';
import { CONNECTION_SEARCH } from '../connections/index.ts';
import { MessageLists } from './message-lists.service.ts';

type Customer = Caller<typeof person.listMessages> | Caller<typeof company.listMessages>;

/** The messages of a customer, a person on the phone or a company, with services. @spec D1-4.2 @spec D1-5.8 @gap D1-1 */
@Controller()
export class CustomerMessagesHttp {
  constructor(
    private readonly lists: MessageLists,
    private readonly peers: Peers,
  ) {}

  @Serves(person.listMessages, company.listMessages)
  list({ query: { connection_id, limit, cursor } }: Input<typeof person.listMessages>, customer: Customer) {
    return this.lists.list(userOf(customer), connection_id, { limit, after: readCursor(cursor) });
  }

  @Serves(person.writeMessage, company.writeMessage)
  write({ body }: Input<typeof person.writeMessage>, customer: Customer) {
    return this.peers.find(MESSAGE_SUBJECTS.write, { user_id: userOf(customer), ...body }, CONNECTION_SEARCH);
  }

  @Serves(person.readMessages, company.readMessages)
  async read({ body }: Input<typeof person.readMessages>, customer: Customer) {
    await this.peers.find(MESSAGE_SUBJECTS.read, { user_id: userOf(customer), ...body }, CONNECTION_SEARCH);
  }

  @Serves(person.listUnread, company.listUnread)
  async unread(_: Input<typeof person.listUnread>, customer: Customer) {
    return { items: await this.lists.unread(userOf(customer)), next_cursor: null };
  }
}
