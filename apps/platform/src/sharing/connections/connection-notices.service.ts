import { Injectable } from '@nestjs/common';
import { execute, many } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { emitAppEvents, type AppEventPresenter } from '../../foundation/app-events/index.ts';
import { companyEvents, emitCustomerEvents, emitManyCustomerEvents } from '../../services/feed/index.ts';
import type { CustomerNotices, OwnService } from '../../services/services/index.ts';
import type { ConnectionRow } from './connection-row.ts';
import { phoneEvents } from './events.ts';

/** Tells customers about their connections: companies on their own feed, persons on their phones. @spec D1-4.2 @spec D1-4.6 */
@Injectable()
export class ConnectionNotices implements CustomerNotices, AppEventPresenter {
  readonly presents: AppEventPresenter['presents'] = {
    connection_deleted: async ({ object_id: connection_id }) => ({ connection_id }),
  };

  /** Tells the customers that their connections ended. Call it near the end of a transaction, since it locks the event logs of phones. */
  async connectionsEnded(tx: EntityManager, connections: readonly ConnectionRow[], at: Date): Promise<void> {
    await emitCustomerEvents(tx, companyEvents(connections, { event: 'connection_deleted' }, at));
    await emitAppEvents(tx, phoneEvents('connection_deleted', connections, at));
  }

  /** Deletes some connections of a service that is being deleted, and tells their customers. Returns how many. */
  async serviceEnds(tx: EntityManager, own: OwnService, at: Date): Promise<number> {
    const ended = await removeSome(tx, own, AT_ONCE);
    await this.connectionsEnded(tx, ended, at);
    return ended.length;
  }

  /** Tells the first companies at once, and the others by the outbox: a service may have any number of them. */
  async moreIsRequired(tx: EntityManager, own: OwnService, at: Date): Promise<void> {
    let tell = emitCustomerEvents;
    for await (const some of companiesOf(tx, own)) {
      await tell(tx, companyEvents(some, { event: 'fields_requested' }, at));
      tell = emitManyCustomerEvents;
    }
  }
}

/** The number of connections that end in one transaction, and of companies whose homes one transaction holds. */
const AT_ONCE = 500;

const removeSome = (tx: EntityManager, { service_id }: OwnService, most: number): Promise<ConnectionRow[]> =>
  many<ConnectionRow>(tx)`
    delete from connection
     where connection_id in (select connection_id from connection where service_id = ${service_id} order by customer_user_id limit ${most})
    returning *`;

/** Reads the connections whose customer is a company, with a cursor: a service may have any number of them. */
async function* companiesOf(tx: EntityManager, { service_id }: OwnService): AsyncGenerator<ConnectionRow[]> {
  await execute(tx)`
    declare connections_of_service no scroll cursor for
    select * from connection where service_id = ${service_id} and customer_type = 'company' order by customer_user_id`;
  for (;;) {
    const some = await many<ConnectionRow>(tx, { text: `fetch ${AT_ONCE} from connections_of_service`, values: [] });
    if (some.length === 0) break;
    yield some;
  }
  await execute(tx)`close connections_of_service`;
}
