import { Refusal, type DocumentSignature } from '@codase/contracts';
import type { DocumentStatus } from '@codase/domain';
import type { z } from 'zod';
import type { DocumentEntity } from './document.entity.ts';

/** A document as the region of the company stores it. Its payload is read separately. @spec D1-2.12 */
export type DocumentRow = Omit<DocumentEntity, 'repeat_hash'>;

/** The members of a document that no run has produced. */
export const OF_NO_RUN = { run_id: null, output_key: null, party_key: null, position: null, run_order: null } as const;

/** A document for one recipient. */
export type PersonalDocument = DocumentRow & { connection_id: string; person_user_id: string; customer_type: 'person' | 'company' };

export const isPersonal = (document: DocumentRow): document is PersonalDocument => document.connection_id !== null;

/** A party's copy of a document that a run produced. @spec D2-4.3 */
export type RunDocument = DocumentRow & {
  run_id: string;
  output_key: string;
  party_key: string;
  run_order: number;
  person_user_id: string;
};
export const isOfRun = (document: DocumentRow): document is RunDocument => document.run_id !== null;

/** Whether the document is for all customers of its service. */
export const isBroadcast = ({ person_user_id }: Pick<DocumentRow, 'person_user_id'>): boolean => person_user_id === null;

/** Returns the status of a document that does not wait in a signing line. A copy that waits cannot be acted on. @spec D2-3 */
export function statusOf({ status }: Pick<DocumentRow, 'status'>): DocumentStatus {
  if (status === 'waiting') throw new Refusal('documents.transition_invalid').because('The signing line has not come to it yet');
  return status;
}

/** A signature or an acceptance of a document. */
export type SignatureRow = Omit<z.infer<typeof DocumentSignature>, 'created_at'> & {
  document_id: string;
  created_at: Date;
};

/** Names the signer of an acceptance by the name that the company knows, which nobody verified: it carries no name. @spec D1-6.2 */
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
const OPEN: readonly DocumentRow['status'][] = ['waiting', 'ready_to_sign', 'offering'];
export const isOpen = ({ status }: Pick<DocumentRow, 'status'>): boolean => OPEN.includes(status);

/** Returns the UTC day of a moment. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
