import { Controller } from '@nestjs/common';
import { customerMessages as contracts, MESSAGE_SUBJECTS, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { Peers } from '../../foundation/peers/index.ts';
import { readCursor } from '../../kit/paging.ts';
import { CONNECTION_SEARCH } from '../connections/index.ts';
import { MessageLists } from './message-lists.service.ts';

type Company = Caller<typeof contracts.listMessages>;

/** The messages of a company that is a customer: it writes to services and reads what they write. @spec D1-4.2 @spec D1-5.8 */
@Controller()
export class CustomerMessagesHttp {
  constructor(
    private readonly lists: MessageLists,
    private readonly peers: Peers,
  ) {}

  @Serves(contracts.listMessages)
  list({ query: { connection_id, limit, cursor } }: Input<typeof contracts.listMessages>, { company_user_id }: Company) {
    return this.lists.list(company_user_id, connection_id, { limit, after: readCursor(cursor) });
  }

  @Serves(contracts.writeMessage)
  write({ body }: Input<typeof contracts.writeMessage>, { company_user_id }: Company) {
    return this.peers.find(MESSAGE_SUBJECTS.write, { user_id: company_user_id, ...body }, CONNECTION_SEARCH);
  }

  @Serves(contracts.readMessages)
  async read({ body }: Input<typeof contracts.readMessages>, { company_user_id }: Company) {
    await this.peers.find(MESSAGE_SUBJECTS.read, { user_id: company_user_id, ...body }, CONNECTION_SEARCH);
  }

  @Serves(contracts.listUnread)
  async unread(_: Input<typeof contracts.listUnread>, { company_user_id }: Company) {
    return { items: await this.lists.unread(company_user_id), next_cursor: null };
  }
}
