import { Controller } from '@nestjs/common';
import { personMessages as contracts, MESSAGE_SUBJECTS, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { Peers } from '../../foundation/peers/index.ts';
import { readCursor } from '../../kit/paging.ts';
import { CONNECTION_SEARCH } from '../connections/index.ts';
import { MessageLists } from './message-lists.service.ts';

type Person = Caller<typeof contracts.listMessages>;

/** The messages of a person, for the phone: the person writes to services and reads what they write. @spec D1-4.2 @gap D1-1 */
@Controller()
export class PersonMessagesHttp {
  constructor(
    private readonly lists: MessageLists,
    private readonly peers: Peers,
  ) {}

  @Serves(contracts.listMessages)
  list({ query: { connection_id, limit, cursor } }: Input<typeof contracts.listMessages>, { person_user_id }: Person) {
    return this.lists.list(person_user_id, connection_id, { limit, after: readCursor(cursor) });
  }

  @Serves(contracts.writeMessage)
  write({ body }: Input<typeof contracts.writeMessage>, { person_user_id }: Person) {
    return this.peers.find(MESSAGE_SUBJECTS.write, { user_id: person_user_id, ...body }, CONNECTION_SEARCH);
  }

  @Serves(contracts.readMessages)
  async read({ body }: Input<typeof contracts.readMessages>, { person_user_id }: Person) {
    await this.peers.find(MESSAGE_SUBJECTS.read, { user_id: person_user_id, ...body }, CONNECTION_SEARCH);
  }

  @Serves(contracts.listUnread)
  async unread(_: Input<typeof contracts.listUnread>, { person_user_id }: Person) {
    return { items: await this.lists.unread(person_user_id), next_cursor: null };
  }
}
