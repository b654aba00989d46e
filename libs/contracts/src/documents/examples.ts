import type { Examples } from '../core/example.ts';
import { AT, BOX, FILE, LATER, ONE_TIME_KEY, page, SEALED, SHA256 } from '../core/samples.ts';

export const DOCUMENT = {
  id: 'doc_66f0',
  name: 'Framework agreement',
  kind: 'agreement',
  payload_kind: 'file',
  requires_signature: true,
  requires_acceptance: false,
  is_private: false,
  status: 'active',
  metadata: { can_be_cancelled_in_app: true },
  plain_sha256: SHA256,
  sealed_at: LATER,
  cancel_effective_date: null,
  connection_id: 'conn_7b20',
  person_user_id: 'user_55d1',
  flow_run_id: null,
  created_at: AT,
  signatures: [
    {
      action: 'signed',
      method: 'biometric',
      content_sha256: SHA256,
      plain_sha256: SHA256,
      signer_first_name: 'Ada',
      signer_last_name: 'Example',
      signer_name_verified: true,
      created_at: LATER,
    },
  ],
};

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIE…\n-----END CERTIFICATE-----\n';

/** Examples for those who hold documents. */
const received: Examples = {
  list_held_documents: { query: { limit: 50 }, result: page(DOCUMENT) },
  read_held_document: { result: DOCUMENT },
  read_held_file: { result: { encrypted: true, value: SEALED } },
  sign_document: {
    body: {
      method: 'biometric',
      signer_first_name: 'Ada',
      signer_last_name: 'Example',
      otk: ONE_TIME_KEY,
      file: BOX,
    },
    result: DOCUMENT,
  },
  accept_document: { body: {}, result: DOCUMENT },
  decline_document: {
    body: {},
    result: { ...DOCUMENT, status: 'ended', signatures: [], sealed_at: null },
  },
  cancel_document: {
    body: { effective_date: '2026-12-31' },
    result: { ...DOCUMENT, status: 'active_but_ending', cancel_effective_date: '2026-12-31' },
  },
};

/** Examples, by the names of the endpoints. */
export const documentsExamples: Examples = {
  list_documents: { query: { limit: 50, status: 'active' }, result: page(DOCUMENT) },
  create_document: {
    body: {
      name: 'Framework agreement',
      kind: 'agreement',
      payload_kind: 'file',
      target: { connection_id: 'conn_7b20' },
      requires_signature: true,
      plain_sha256: SHA256,
      metadata: { can_be_cancelled_in_app: true },
      file: SEALED,
    },
    result: { ...DOCUMENT, status: 'ready_to_sign', signatures: [], sealed_at: null },
  },
  read_document: { result: DOCUMENT },
  change_document: {
    body: { status: 'active_but_ending', cancel_effective_date: '2026-12-31' },
    result: { ...DOCUMENT, status: 'active_but_ending', cancel_effective_date: '2026-12-31' },
  },
  read_document_file: { result: { encrypted: false, value: '{"open":"9 to 17"}' } },
  replace_document_file: { body: { file: FILE }, result: { id: 'doc_66f0', plain_sha256: null } },
  list_seal_certificates: {
    result: {
      certificates: [{ certificate_pem: CERTIFICATE, fingerprint_sha256: SHA256, created_at: AT }],
      complete: true,
    },
  },
  ...received,
  list_customer_documents: received['list_held_documents']!,
  read_customer_document: received['read_held_document']!,
  read_customer_file: received['read_held_file']!,
  accept_customer_document: received['accept_document']!,
  decline_customer_document: received['decline_document']!,
  cancel_customer_document: received['cancel_document']!,
  sign_customer_document: {
    body: { method: 'custodian', signer_first_name: 'Ada', signer_last_name: 'Example', otk: ONE_TIME_KEY, file: BOX },
    result: DOCUMENT,
  },
};
