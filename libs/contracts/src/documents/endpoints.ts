import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { BinaryAnswer } from '../core/file.ts';
import { UPLOAD_BODY_BYTES } from '../core/limits.ts';
import { page, Paging } from '../core/page.ts';
import { ofDocument } from '../core/params.ts';
import { Id } from '../core/text.ts';
import { CompanyDocument, CopyStatus, DocumentChange, NewDocument, NewDocumentFile, SealCertificate } from './shapes.ts';

const ROUTE = { tag: 'documents', at: ['region'], callers: ['service'] } as const;
const OF_DOCUMENT = { ...ROUTE, params: ofDocument } as const;

export const listDocuments = endpoint('list_documents', 'GET /api/company-data/documents', {
  ...ROUTE,
  spec: 'D1-4.7',
  summary: 'The documents the service issued, newest first',
  description: 'What the service has issued, newest first, in pages. Narrow it to one connection or one status.',
  query: Paging.extend({
    connection_id: Id.optional().describe('Only documents of this connection'),
    status: CopyStatus.optional().describe('Only documents of this status'),
  }),
  result: page(CompanyDocument),
  refusals: ['request.invalid'],
});

export const createDocument = endpoint('create_document', 'POST /api/company-data/documents', {
  ...ROUTE,
  spec: 'D1-2.12',
  summary: 'Issue a document or contract to a person, or a document to all',
  description:
    "Issues a document. With a target it goes to one person, and its payload must be sealed to that person's key; without one it " +
    'is shown to every customer in the clear. A contract, which is anything to be signed or accepted, needs a target. It begins as ' +
    '`ready_to_sign`, as `offering`, or as `active` where nobody has to act. Give `plain_sha256` of the PDF where it is to be ' +
    'signed: without it, it cannot be. The same `idempotency_key` for the same recipient is the same document, whatever else the ' +
    'call says: a call whose answer was lost can be repeated, as long as the document is there.',
  body: NewDocument,
  largest: UPLOAD_BODY_BYTES,
  streams: 'to rest',
  status: 201,
  result: CompanyDocument,
  refusals: [
    'request.invalid',
    'contact_data.encryption_required',
    'documents.contract_requires_person',
    'documents.too_large',
    'company_data.connection_not_found',
  ],
});

export const readDocument = endpoint('read_document', 'GET /api/company-data/documents/{id}', {
  ...OF_DOCUMENT,
  spec: 'D1-4.7',
  summary: 'One document with its signatures',
  description: 'A document with its status and the signatures it has so far. The payload is fetched separately.',
  result: CompanyDocument,
  refusals: ['documents.not_found'],
});

export const changeDocument = endpoint('change_document', 'PUT /api/company-data/documents/{id}', {
  ...OF_DOCUMENT,
  spec: 'D1-4.2',
  summary: 'Change the status or metadata of a document; the person is not asked',
  description:
    'Changes the metadata, or takes the document to its end: `active` may become `active_but_ending` or `ended`, open offers may ' +
    'become `ended`, and `ended` is final. The person is informed and not asked. A document of a run that is still being signed ' +
    'belongs to the run: cancel the run instead.',
  body: DocumentChange,
  result: CompanyDocument,
  refusals: ['request.invalid', 'documents.not_found', 'documents.run_managed', 'documents.transition_invalid'],
});

export const deleteDocument = endpoint('delete_document', 'DELETE /api/company-data/documents/{id}', {
  ...OF_DOCUMENT,
  spec: 'D1-4.7',
  summary: 'Delete a document that binds nobody',
  description:
    'Deletes a document with its payload. What is signed, or belongs to a run that is being signed, is not deleted: end it, or ' +
    'cancel the run.',
  refusals: ['documents.not_found', 'documents.run_managed', 'documents.contract_immutable'],
});

export const readDocumentFile = endpoint('read_document_file', 'GET /api/company-data/documents/{id}/file', {
  ...OF_DOCUMENT,
  spec: 'D1-2.12',
  summary: "The file of a broadcast as it was uploaded, or the company's copy of a sealed contract",
  description:
    'The file of a document that went to everybody, byte for byte, or its JSON: `payload_kind` says which, since the file may be JSON ' +
    'too. Of a contract that was signed or accepted by all, the sealed PDF as a wrapper to the key of the service. Any other file for ' +
    'one person is sealed to that person and never readable here.',
  result: BinaryAnswer,
  produces: 'bytes',
  refusals: ['documents.not_found', 'documents.recipient_encrypted'],
});

export const replaceDocumentFile = endpoint('replace_document_file', 'PUT /api/company-data/documents/{id}/file', {
  ...OF_DOCUMENT,
  spec: 'D1-2.12',
  summary: 'Replace the file of a document that is not signed yet',
  description:
    'Puts another file in the place of the one that was issued, sealed again where the document is for one person. A signed ' +
    'contract keeps its file: issue a new document.',
  body: NewDocumentFile,
  largest: UPLOAD_BODY_BYTES,
  streams: 'to rest',
  result: z.object({ id: Id, plain_sha256: z.string().nullable() }),
  refusals: [
    'request.invalid',
    'documents.not_found',
    'documents.run_managed',
    'documents.contract_immutable',
    'documents.too_large',
    'contact_data.encryption_required',
  ],
});

export const listSealCertificates = endpoint('list_seal_certificates', 'GET /api/company-data/seal-certificates', {
  ...ROUTE,
  spec: 'D1-2.12',
  summary: 'The certificates that contracts were sealed with',
  description:
    'The certificates of all regions, those that were used before included: a contract keeps its seal when its company moves. Verify ' +
    'your copies of sealed contracts with them. While the front door, which knows all of them, is away, newer ones may be missing: ' +
    '`complete` is false then.',
  result: z.object({ certificates: z.array(SealCertificate), complete: z.boolean() }),
});
