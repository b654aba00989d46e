import { z } from 'zod';
import { Day, Id, Sha256, Timestamp } from '../core/text.ts';
import { DocumentKind, DocumentStatus, PayloadKind, signer, SigningMethod } from './shapes.ts';

const document = { document_id: Id, name: z.string(), kind: DocumentKind, payload_kind: PayloadKind };

/** The members of each kind beside those that every event has. @spec D1-6.1 */
export const documentEvents = {
  document_created: document,
  document_updated: document,
  document_deleted: document,
  /** @spec D1-6.2 */
  document_status_changed: {
    document_id: Id,
    status: DocumentStatus,
    action: z.enum(['signed', 'accepted', 'cancelled']).nullable(),
    method: SigningMethod.nullable(),
    content_sha256: Sha256.nullable(),
    signed_at: Timestamp.nullable(),
    cancel_effective_date: Day.nullable(),
    sealed_at: Timestamp.nullable(),
    plain_sha256: Sha256.nullable(),
    ...signer,
  },
};
