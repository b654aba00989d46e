import { Controller, Inject } from '@nestjs/common';
import { messages as contracts, type Caller, type Input } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { Serves } from '@codase/runtime/http';
import { REGION_DB } from '../../kit/databases.ts';
import { pageOf, readCursor } from '../../kit/paging.ts';
import { listUnreadOfService } from './messages.store.ts';
import { presentUnread } from './present.ts';
import { ServiceMessages } from './service-messages.service.ts';

type Service = Caller<typeof contracts.sendMessage>;

/** The messages of a service to its customers. @spec D1-4.2 @spec D1-4.7 */
@Controller()
export class MessagesHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly messages: ServiceMessages,
  ) {}

  @Serves(contracts.sendMessage)
  async send({ params, body }: Input<typeof contracts.sendMessage>, caller: Service) {
    const [sent] = await this.messages.send(caller, [{ connection_id: params.connectionId, ...body }]);
    return sent!;
  }

  @Serves(contracts.broadcastMessage)
  async broadcast({ body }: Input<typeof contracts.broadcastMessage>, caller: Service) {
    return { messages: await this.messages.send(caller, body.messages) };
  }

  @Serves(contracts.acknowledgeMessages)
  acknowledge({ params, body }: Input<typeof contracts.acknowledgeMessages>, caller: Service) {
    return this.messages.acknowledge(caller, params.connectionId, body.message_id);
  }

  @Serves(contracts.listUnreadMessages)
  async listUnread({ query: { limit, cursor } }: Input<typeof contracts.listUnreadMessages>, caller: Service) {
    const rows = await listUnreadOfService(this.db, caller, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, limit, ({ oldest_at, connection_id }) => ({ at: oldest_at, id: connection_id }));
    return { items: items.map(presentUnread), next_cursor };
  }
}
