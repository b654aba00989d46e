import type { CompanyDocument } from '@codase/contracts';
import type { DocumentRow, SignatureRow } from './document-row.ts';
import type { RunCopy } from './run-copies.store.ts';

/** Presents a document; `copies` are the copies of its run, if it has one. @spec D1-2.12 @spec D2-2.2 */
export const presentDocument = (
  row: DocumentRow,
  signatures: readonly SignatureRow[],
  copies: readonly RunCopy[] = [],
): CompanyDocument => ({
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
  flow_run_id: row.run_id,
  ...(row.run_id !== null && { run_signatures: copies.filter(({ run_id }) => run_id === row.run_id).map(presentStep) }),
  created_at: row.created_at.toISOString(),
});

const presentSignature = ({ created_at, ...signature }: SignatureRow) => ({ ...signature, created_at: created_at.toISOString() });

const presentStep = ({ output_key, name, party_key, document_id, position, status, action, acted_at }: RunCopy) => ({
  output_key,
  name,
  party_key,
  document_id,
  position,
  status,
  action,
  acted_at: acted_at?.toISOString() ?? null,
});
