import { Injectable } from '@nestjs/common';
import type { DocumentEffect } from '@cds/domain';
import type { EntityManager } from 'typeorm';
import { emitAppEvents } from '../app-events/index.ts';
import { companyEvents, emit, emitCustomerEvents, type NewCustomerEvent } from '../feed/index.ts';
import { isPersonal, type DocumentRow, type PersonalDocument, type SignatureRow } from './document-row.ts';
import { appEventsOf, documentEvent, eventOfEffect } from './events.ts';

/** A document as it is now, and what the table of states says that follows. */
export interface Announced<Row extends DocumentRow = DocumentRow> {
  document: Row;
  also: readonly DocumentEffect[];
  /** What its recipient did to it. */
  act?: SignatureRow | undefined;
}

/** What follows from a change of documents, in its transaction: the service gets its event, the recipient on phones or its feed. */
@Injectable()
export class DocumentAnnouncing {
  /** The last thing that a transaction does, or nearly: it holds the logs of the phones. What is for everybody is announced to nobody. */
  async announce(tx: EntityManager, all: readonly Announced[], at: Date): Promise<void> {
    const announced = all.filter((one): one is Announced<PersonalDocument> => isPersonal(one.document));
    const events = announced.flatMap(({ document, also, act }) => also.map((effect) => eventOfEffect(effect, document, at, act)));
    await emit(tx, events);
    await emitCustomerEvents(
      tx,
      announced.flatMap(({ document, also }) => also.flatMap((effect) => ownFeedEvents(OWN_FEED[effect], document, at))),
    );
    const ofPhones = announced.flatMap(({ document, also }) => {
      const isNew = also.includes('announce created');
      return appEventsOf(isNew ? 'document_created' : 'document_updated', document, at);
    });
    await emitAppEvents(tx, ofPhones);
  }

  /** It is gone. */
  async announceDeleted(tx: EntityManager, document: PersonalDocument, at: Date): Promise<void> {
    await emit(tx, [documentEvent('document_deleted', document, at)]);
    await emitCustomerEvents(tx, ownFeedEvents('document_deleted', document, at));
    await emitAppEvents(tx, appEventsOf('document_deleted', document, at));
  }
}

/** What a company hears on its own feed, which carries no members of the act. @gap D1-4.6 */
const OWN_FEED = {
  'announce created': 'document_created',
  'announce updated': 'document_updated',
  'announce signed': 'document_status_changed',
  'announce accepted': 'document_status_changed',
  'announce cancelled': 'document_status_changed',
} as const satisfies Record<DocumentEffect, string>;

/** What a company that is the recipient hears of on its own feed. @spec D1-4.6 */
const ownFeedEvents = (
  event: 'document_created' | 'document_updated' | 'document_deleted' | 'document_status_changed',
  { person_user_id: customer_user_id, document_id, ...document }: PersonalDocument,
  at: Date,
): NewCustomerEvent[] => companyEvents([{ ...document, customer_user_id }], { event, document_id }, at);
