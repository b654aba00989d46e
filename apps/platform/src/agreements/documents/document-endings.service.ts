import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { DOCUMENT, move } from '@codase/domain';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { EntityManager } from 'typeorm';
import type { ConnectionEnds, ConnectionMayEnd, ConnectionRow, OutlastsConnections } from '../../sharing/connections/index.ts';
import type { CustomerNotices, OwnService, ServiceMayEnd } from '../../services/services/index.ts';
import { DocumentAnnouncer } from './document-announcer.service.ts';
import { isPersonal, statusOf, type DocumentRow } from './document-row.ts';
import { endSomeOfRuns, hasActiveContract, hasOfCompany, lockOfConnection, removeOfService, writeStatus } from './documents.store.ts';

/** The number of documents that are deleted in one transaction: few, since each may have copies of a large file for many parties. */
const AT_ONCE = 20;

/** Keeps connections and services from ending while a contract is active, and ends documents. @spec D1-3.3 @spec D1-4.2 */
@Injectable()
export class DocumentEndings implements ConnectionMayEnd, ConnectionEnds, OutlastsConnections, ServiceMayEnd, CustomerNotices {
  constructor(
    private readonly announcing: DocumentAnnouncer,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Refuses while the connection has an active contract. A transaction that signs or issues a contract holds the connection, so its
   * contract is either visible by now, or comes after the connection has ended and is refused.
   */
  async checkConnectionMayEnd(tx: EntityManager, connection: ConnectionRow): Promise<void> {
    if (await hasActiveContract(tx, connection, connection.connection_id)) throw new Refusal('company_connections.active_contract');
  }

  async checkServiceMayEnd(tx: EntityManager, own: OwnService): Promise<void> {
    if (!(await hasActiveContract(tx, own))) return;
    throw new Refusal('company_connections.active_contract').because(
      'Customers of the service hold agreements or subscriptions that are active: end them first',
    );
  }

  async connectionEnds(tx: EntityManager, { connection_id }: ConnectionRow): Promise<void> {
    await this.end(tx, await lockOfConnection(tx, connection_id), 'connection ended');
  }

  /** Documents outlast the connection: a contract is a record of both sides. */
  hasAnyOf(tx: EntityManager, customer_user_id: string, company_user_id: string): Promise<boolean> {
    return hasOfCompany(tx, customer_user_id, company_user_id);
  }

  /**
   * Deletes some documents of a service that is being deleted, and tells their recipients. Copies of its runs stay, and end as with their
   * connections: those of a contract that has not come into force. Returns how many. @spec D1-6.1 @spec D2-8 @gap D2-3
   */
  async serviceEnds(tx: EntityManager, own: OwnService, at: Date): Promise<number> {
    const removed = await removeOfService(tx, own, AT_ONCE);
    await this.announcing.announceDeletedToRecipients(tx, removed.filter(isPersonal), at);
    if (removed.length > 0) return removed.length;
    const ended = await endSomeOfRuns(tx, own, AT_ONCE);
    await this.announcing.announceReplaced(tx, ended, at);
    return ended.length;
  }

  async moreIsRequired(): Promise<void> {
    // Nothing to do: documents ask nothing by request fields.
  }

  /** Ends locked documents, and announces it to both sides. */
  async end(tx: EntityManager, documents: readonly DocumentRow[], signal: 'connection ended' | 'end date reached'): Promise<void> {
    if (documents.length === 0) return;
    const ended = documents.map((document) => {
      const { next, also } = move(DOCUMENT, statusOf(document), signal)!;
      return { document: { ...document, status: next }, also };
    });
    await writeStatus(tx, documents, 'ended');
    await this.announcing.announce(tx, ended, this.clock.now());
  }
}
