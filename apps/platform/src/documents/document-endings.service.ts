import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import { DOCUMENT, move } from '@cds/domain';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { EntityManager } from 'typeorm';
import type { ConnectionEnds, ConnectionMayEnd, ConnectionRow } from '../connections/index.ts';
import type { OwnService, ServiceMayEnd } from '../services/index.ts';
import { DocumentAnnouncing } from './announcing.service.ts';
import type { DocumentRow } from './document-row.ts';
import { hasActiveContract, lockOfConnection, writeStatus } from './documents.store.ts';

/** Keeps connections and services from ending while a contract is active, and ends documents. @spec D1-3.3 @spec D1-4.2 */
@Injectable()
export class DocumentEndings implements ConnectionMayEnd, ConnectionEnds, ServiceMayEnd {
  constructor(
    private readonly announcing: DocumentAnnouncing,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Refuses while the connection has an active contract. A transaction that signs or issues a contract holds the connection, so its
   * contract is either visible by now, or comes after the connection has ended and is refused.
   */
  async checkConnectionMayEnd(tx: EntityManager, { service_id, connection_id }: ConnectionRow): Promise<void> {
    if (await hasActiveContract(tx, { service_id }, connection_id)) throw new Refusal('company_connections.active_contract');
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

  /** Ends locked documents, and announces it to both sides. */
  async end(tx: EntityManager, documents: readonly DocumentRow[], signal: 'connection ended' | 'end date reached'): Promise<void> {
    if (documents.length === 0) return;
    const ended = documents.map((document) => {
      const { next, also } = move(DOCUMENT, document.status, signal)!;
      return { document: { ...document, status: next }, also };
    });
    await writeStatus(
      tx,
      documents.map(({ document_id }) => document_id),
      'ended',
    );
    await this.announcing.announce(tx, ended, this.clock.now());
  }
}
