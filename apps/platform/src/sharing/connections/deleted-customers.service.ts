import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import type { CompanyArrives } from '../../storage/moves/index.ts';
import { Home, isStillArriving } from '../../foundation/regions/index.ts';
import { ConnectionOperations } from './connection-operations.service.ts';
import { listDeletedCustomers, listHomesOfConnections, lockConnections, type ConnectionAtHome } from './connections.store.ts';

/** Ends the connections of customers whose account was deleted, as if they had disconnected. @gap D1-5.8 */
@Injectable()
export class DeletedCustomers implements CompanyArrives {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly operations: ConnectionOperations,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Ends the connections of the customer to companies that live in this region, each in a transaction of its own. One that fails does not
   * keep the others: the call fails at its end, so that the caller repeats it. When a company is about to leave, nothing is written: by the
   * repeat the company has stayed, or has left with its rows. The connections of a company that is arriving end when it has arrived.
   */
  async endConnectionsOf(customer_user_id: string): Promise<void> {
    let failure: unknown;
    for (const connection of await listHomesOfConnections(this.db, customer_user_id)) {
      if (connection.home === 'arriving' && (await isStillArriving(this.db, connection.company_user_id))) continue;
      await this.end(connection).catch((error: unknown) => {
        if (!(error instanceof Refusal)) this.log.error('a connection of a deleted customer could not be ended', { error });
        failure = error;
      });
    }
    if (failure !== undefined) throw failure;
  }

  /** Ends connections of deleted customers that came with the rows of a company: the accounts were deleted while it was moving here. */
  async companyArrives(tx: EntityManager, company_user_id: string): Promise<void> {
    await this.endAll(tx, await listDeletedCustomers(tx, company_user_id));
  }

  private end(connection: ConnectionAtHome): Promise<void> {
    return this.home.write(connection.company_user_id, (tx) => this.endAll(tx, [connection]));
  }

  /** Ends the connections, except those that have ended meanwhile. */
  private async endAll(tx: EntityManager, connections: readonly Pick<ConnectionAtHome, 'service_id' | 'connection_id'>[]): Promise<void> {
    for (const connection of await lockConnections(tx, connections)) await this.operations.end(tx, connection);
  }
}
