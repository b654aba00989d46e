import type { CopyEffect, DocumentEffect } from '@codase/domain';
import type { FeedEventOf } from '@codase/contracts';
import type { NewAppEvent } from '../../foundation/app-events/index.ts';
import type { NewEvent } from '../../services/feed/index.ts';
import type { PersonalDocument, SignatureRow } from './document-row.ts';

/** The members that every event has. @spec D1-6.1 */
const eventOf = ({ person_user_id, share_code }: PersonalDocument, at: Date) => ({ person_user_id, share_code, at: at.toISOString() });

const ofService = ({ company_user_id, service_id, connection_id }: PersonalDocument) => ({ company_user_id, service_id, connection_id });

/** A document for one recipient was created, changed or deleted. A document for all customers raises no event. @spec D1-6.1 */
export const documentEvent = (
  event: 'document_created' | 'document_updated' | 'document_deleted',
  document: PersonalDocument,
  at: Date,
): NewEvent => {
  const { document_id, name, kind, payload_kind } = document;
  return { ...ofService(document), event: { event, ...eventOf(document, at), document_id, name, kind, payload_kind } };
};

type StatusChanged = FeedEventOf<'document_status_changed'>;

/**
 * What a recipient did, with the members of the act. Only a signature has a method, and only a cancellation has a date. Without an action
 * the signing line of a run has opened a copy, or the end of the run has ended it. @spec D1-6.2
 */
function statusChangedEvent(document: PersonalDocument, action: StatusChanged['action'], at: Date, act?: SignatureRow): NewEvent {
  const isSignature = act?.action === 'signed';
  return {
    ...ofService(document),
    event: {
      event: 'document_status_changed',
      ...eventOf(document, at),
      document_id: document.document_id,
      status: document.status as StatusChanged['status'],
      action,
      method: act?.method ?? null,
      content_sha256: isSignature ? act.content_sha256 : null,
      signed_at: isSignature ? act.created_at.toISOString() : null,
      cancel_effective_date: action === 'cancelled' ? document.cancel_effective_date : null,
      sealed_at: (act && document.sealed_at?.toISOString()) ?? null,
      plain_sha256: act?.plain_sha256 ?? null,
      signer_first_name: act?.signer_first_name ?? null,
      signer_last_name: act?.signer_last_name ?? null,
      signer_name_verified: act?.signer_name_verified ?? null,
    },
  };
}

/** Returns the event of an effect of the state tables. @spec D1-3.3 @spec D2-3 */
export function eventOfEffect(effect: DocumentEffect | CopyEffect, document: PersonalDocument, at: Date, act?: SignatureRow): NewEvent {
  switch (effect) {
    case 'announce created':
      return documentEvent('document_created', document, at);
    case 'announce updated':
      return documentEvent('document_updated', document, at);
    case 'announce signed':
      return statusChangedEvent(document, 'signed', at, act);
    case 'announce accepted':
      return statusChangedEvent(document, 'accepted', at, act);
    case 'announce cancelled':
      return statusChangedEvent(document, 'cancelled', at);
    case 'announce opened':
    case 'announce ended':
      return statusChangedEvent(document, null, at);
  }
}

/** Returns the event for the phones of the recipient; none for a company, which has no phone. @gap D1-1 */
export const appEventsOf = (
  kind: 'document_created' | 'document_updated' | 'document_deleted',
  { person_user_id, company_user_id, customer_type, document_id }: PersonalDocument,
  at: Date,
): NewAppEvent[] => (customer_type === 'person' ? [{ person_user_id, company_user_id, kind, object_id: document_id, at }] : []);
