import { Injectable } from '@nestjs/common';
import type { CopyEffect, DocumentEffect } from '@codase/domain';
import type { EntityManager } from 'typeorm';
import { emitAppEvents, type AppEventPresenter } from '../../foundation/app-events/index.ts';
import { companyEvents, emit, emitCustomerEvents, type NewCustomerEvent } from '../../services/feed/index.ts';
import { isPersonal, type DocumentRow, type PersonalDocument, type SignatureRow } from './document-row.ts';
import { appEventsOf, documentEvent, eventOfEffect } from './events.ts';

/** A document after a change, and the effects that the state table names for the change. */
export interface Announced<Row extends DocumentRow = DocumentRow> {
  document: Row;
  also: readonly (DocumentEffect | CopyEffect)[];
  /** What the recipient did to the document. */
  act?: SignatureRow | undefined;
  /** The customer whom the service's events name where the document is the company's own copy of a run. @gap D2-6 */
  about?: Pick<PersonalDocument, 'connection_id' | 'person_user_id' | 'share_code'> | undefined;
}

/** Announces changes of documents in their transaction: in the feed of the service, on a person's phone, in the feed of a company. */
@Injectable()
export class DocumentAnnouncer implements AppEventPresenter {
  /** What a phone gets is the id alone: it then reads the document, or removes it. @gap D1-1 */
  readonly presents: AppEventPresenter['presents'] = {
    document_created: async ({ object_id: document_id }) => ({ document_id }),
    document_updated: async ({ object_id: document_id }) => ({ document_id }),
    document_deleted: async ({ object_id: document_id }) => ({ document_id }),
  };

  /**
   * Announces changes. Call it near the end of a transaction, since it locks the event logs of phones. A document for all customers of a
   * service is announced to nobody, and the company's own copy of a run to its service alone, once its status changes.
   */
  async announce(tx: EntityManager, all: readonly Announced[], at: Date): Promise<void> {
    const events = all.flatMap(({ document, also, act, about }) => {
      if (isPersonal(document)) return also.map((effect) => eventOfEffect(effect, document, at, act));
      const own = about && ({ ...document, ...about } as PersonalDocument);
      return own ? also.filter((effect) => effect !== 'announce created').map((effect) => eventOfEffect(effect, own, at, act)) : [];
    });
    await emit(tx, events);
    const announced = all.filter((one): one is Announced<PersonalDocument> => isPersonal(one.document));
    const ofFeeds = announced.flatMap(({ document, also }) => also.flatMap((effect) => ownFeedEvents(OWN_FEED[effect], document, at)));
    await emitCustomerEvents(tx, ofFeeds);
    const ofPhones = announced.flatMap(({ document, also }) => {
      const isNew = also.includes('announce created');
      return appEventsOf(isNew ? 'document_created' : 'document_updated', document, at);
    });
    await emitAppEvents(tx, ofPhones);
  }

  /** Announces to recipients alone that the file of a document is another one: the seal of a run replaces the copy of every party. */
  async announceReplaced(tx: EntityManager, documents: readonly DocumentRow[], at: Date): Promise<void> {
    await announceToRecipients(tx, 'document_updated', documents.filter(isPersonal), at);
  }

  /** Announces to both sides that a document was deleted. */
  async announceDeleted(tx: EntityManager, document: PersonalDocument, at: Date): Promise<void> {
    await emit(tx, [documentEvent('document_deleted', document, at)]);
    await this.announceDeletedToRecipients(tx, [document], at);
  }

  async announceDeletedToRecipients(tx: EntityManager, documents: readonly PersonalDocument[], at: Date): Promise<void> {
    await announceToRecipients(tx, 'document_deleted', documents, at);
  }
}

type RecipientEvent = 'document_updated' | 'document_deleted';

async function announceToRecipients(tx: EntityManager, event: RecipientEvent, documents: readonly PersonalDocument[], at: Date) {
  const ofFeeds = documents.flatMap((document) => ownFeedEvents(event, document, at));
  const ofPhones = documents.flatMap((document) => appEventsOf(event, document, at));
  await emitCustomerEvents(tx, ofFeeds);
  await emitAppEvents(tx, ofPhones);
}

/** The event on a company's own feed for each effect. It carries no members of the act. @gap D1-4.6 */
const OWN_FEED = {
  'announce created': 'document_created',
  'announce updated': 'document_updated',
  'announce signed': 'document_status_changed',
  'announce accepted': 'document_status_changed',
  'announce cancelled': 'document_status_changed',
  'announce opened': 'document_status_changed',
  'announce ended': 'document_status_changed',
} as const satisfies Record<DocumentEffect | CopyEffect, string>;

/** Returns the event for the own feed of the recipient; none when the recipient is a person. @spec D1-4.6 */
const ownFeedEvents = (
  event: 'document_created' | 'document_updated' | 'document_deleted' | 'document_status_changed',
  { person_user_id: customer_user_id, document_id, ...document }: PersonalDocument,
  at: Date,
): NewCustomerEvent[] => companyEvents([{ ...document, customer_user_id }], { event, document_id }, at);
