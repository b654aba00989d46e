import type { DocumentSignature } from '@cds/contracts';
import type { DocumentStatus } from '@cds/domain';
import type { z } from 'zod';

/** A document as the region of the company stores it. Its payload is read separately. @spec D1-2.12 */
export interface DocumentRow {
  document_id: string;
  company_user_id: string;
  service_id: string;
  /** Null when the document is for all customers of the service, as are the next three members. */
  connection_id: string | null;
  person_user_id: string | null;
  share_code: string | null;
  customer_type: 'person' | 'company' | null;
  name: string;
  kind: 'document' | 'agreement' | 'subscription';
  payload_kind: 'json' | 'file';
  requires_signature: boolean;
  requires_acceptance: boolean;
  is_private: boolean;
  status: DocumentStatus;
  metadata: { can_be_cancelled_in_app: boolean; [member: string]: string | number | boolean | null };
  /** The MIME type of a file in the clear; null for all other payloads. */
  content_type: string | null;
  /** The SHA-256 of the payload as it arrived, which is sealed when the document is for one recipient. */
  content_sha256: string;
  /** The SHA-256 of the PDF that is signed or accepted. */
  plain_sha256: string | null;
  sealed_at: Date | null;
  /** YYYY-MM-DD: the day on which the document ends or has ended. */
  cancel_effective_date: string | null;
  created_at: Date;
}

/** A document for one recipient. */
export type PersonalDocument = DocumentRow & { connection_id: string; person_user_id: string; customer_type: 'person' | 'company' };

export const isPersonal = (document: DocumentRow): document is PersonalDocument => document.person_user_id !== null;

/** A signature or an acceptance of a document. */
export type SignatureRow = Omit<z.infer<typeof DocumentSignature>, 'created_at'> & {
  document_id: string;
  created_at: Date;
};

/**
 * Names the signer of an acceptance, which carries no name: by the name that the company knows the recipient by, which nobody verified.
 * @spec D1-6.2
 */
export const withSigner = (signature: SignatureRow, display_name: string): SignatureRow =>
  signature.signer_first_name === null
    ? { ...signature, signer_first_name: display_name, signer_last_name: '', signer_name_verified: false }
    : signature;

type Terms = Pick<DocumentRow, 'kind' | 'requires_signature' | 'requires_acceptance'>;

/** @spec D1-2.12 */
export const isContract = ({ kind, requires_signature, requires_acceptance }: Terms): boolean =>
  kind !== 'document' || requires_signature || requires_acceptance;

/** The states in which a contract binds both sides. */
const IN_FORCE: readonly DocumentRow['status'][] = ['active', 'active_but_ending'];
export const isInForce = (document: Terms & Pick<DocumentRow, 'status'>): boolean =>
  isContract(document) && IN_FORCE.includes(document.status);

/** The states in which the recipient has not acted on the document yet. */
const OPEN: readonly DocumentRow['status'][] = ['ready_to_sign', 'offering'];
export const isOpen = ({ status }: Pick<DocumentRow, 'status'>): boolean => OPEN.includes(status);

/** Returns the UTC day of a moment. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
