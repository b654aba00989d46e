import type { CompanyDocument } from '@cds/contracts';
import type { DocumentRow, SignatureRow } from './document-row.ts';

/** @spec D1-2.12 */
export const presentDocument = (row: DocumentRow, signatures: readonly SignatureRow[]): CompanyDocument => ({
  id: row.document_id,
  name: row.name,
  kind: row.kind,
  payload_kind: row.payload_kind,
  requires_signature: row.requires_signature,
  requires_acceptance: row.requires_acceptance,
  is_private: row.is_private,
  status: row.status,
  metadata: row.metadata,
  signatures: signatures.filter(({ document_id }) => document_id === row.document_id).map(presentSignature),
  plain_sha256: row.plain_sha256,
  sealed_at: row.sealed_at?.toISOString() ?? null,
  cancel_effective_date: row.cancel_effective_date,
  connection_id: row.connection_id,
  person_user_id: row.person_user_id,
  // Flow runs create no documents yet.
  flow_run_id: null,
  created_at: row.created_at.toISOString(),
});

const presentSignature = ({ created_at, ...signature }: SignatureRow) => ({ ...signature, created_at: created_at.toISOString() });
