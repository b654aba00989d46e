import { Controller } from '@nestjs/common';
import { customerMessages as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { readCursor } from '../../kit/paging.ts';
import { HeldMessages } from './held-messages.service.ts';

type Company = Caller<typeof contracts.listMessages>;

/** The messages of a company that is a customer: it writes to services and reads what they write. @spec D1-4.2 @spec D1-5.8 */
@Controller()
export class CustomerMessagesHttp {
  constructor(private readonly messages: HeldMessages) {}

  @Serves(contracts.listMessages)
  list({ query: { connection_id, limit, cursor } }: Input<typeof contracts.listMessages>, { company_user_id }: Company) {
    return this.messages.list(company_user_id, connection_id, { limit, after: readCursor(cursor) });
  }

  @Serves(contracts.writeMessage)
  write({ body }: Input<typeof contracts.writeMessage>, { company_user_id }: Company) {
    return this.messages.write(company_user_id, body);
  }

  @Serves(contracts.readMessages)
  read({ body }: Input<typeof contracts.readMessages>, { company_user_id }: Company) {
    return this.messages.read(company_user_id, body);
  }

  @Serves(contracts.listUnread)
  async unread(_: Input<typeof contracts.listUnread>, { company_user_id }: Company) {
    return { items: await this.messages.unread(company_user_id), next_cursor: null };
  }
}
