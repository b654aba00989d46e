import { Controller } from '@nestjs/common';
import { personMessages as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { readCursor } from '../../kit/paging.ts';
import { HeldMessages } from './held-messages.service.ts';

type Person = Caller<typeof contracts.listMessages>;

/** The messages of a person, for the phone: the person writes to services and reads what they write. @spec D1-4.2 @gap D1-1 */
@Controller()
export class PersonMessagesHttp {
  constructor(private readonly messages: HeldMessages) {}

  @Serves(contracts.listMessages)
  list({ query: { connection_id, limit, cursor } }: Input<typeof contracts.listMessages>, { person_user_id }: Person) {
    return this.messages.list(person_user_id, connection_id, { limit, after: readCursor(cursor) });
  }

  @Serves(contracts.writeMessage)
  write({ body }: Input<typeof contracts.writeMessage>, { person_user_id }: Person) {
    return this.messages.write(person_user_id, body);
  }

  @Serves(contracts.readMessages)
  read({ body }: Input<typeof contracts.readMessages>, { person_user_id }: Person) {
    return this.messages.read(person_user_id, body);
  }

  @Serves(contracts.listUnread)
  async unread(_: Input<typeof contracts.listUnread>, { person_user_id }: Person) {
    return { items: await this.messages.unread(person_user_id), next_cursor: null };
  }
}
