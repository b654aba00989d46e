import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { BinaryAnswer } from '../core/file.ts';
import { UPLOAD_BODY_BYTES } from '../core/limits.ts';
import { page, Paging } from '../core/page.ts';
import { ofDocument } from '../core/params.ts';
import { Id } from '../core/text.ts';
import { AcceptAct, CancelAct, CompanyDocument, CopyStatus, SignAct } from './shapes.ts';

/** Documents of a person on a phone; companies have theirs below /api/customer. @spec D1-3.3 @gap D1-1 */
const ROUTE = { tag: 'consumer app', at: ['region'], callers: ['person'] } as const;

export const listReceivedDocuments = endpoint('list_held_documents', 'GET /api/app/documents', {
  ...ROUTE,
  spec: 'D1-3.3',
  summary: 'The documents the caller holds, newest first',
  description: 'The documents the caller has received, newest first, in pages.',
  query: Paging.extend({
    connection_id: Id.optional().describe('Only documents of this connection'),
    status: CopyStatus.optional().describe('Only documents of this status'),
  }),
  result: page(CompanyDocument),
  refusals: ['request.invalid'],
});

export const readReceivedDocument = endpoint('read_held_document', 'GET /api/app/documents/{id}', {
  ...ROUTE,
  spec: 'D1-3.3',
  summary: 'One document the caller holds',
  description: 'One received document with its status and signatures.',
  params: ofDocument,
  result: CompanyDocument,
  refusals: ['documents.not_found'],
});

export const readReceivedFile = endpoint('read_held_file', 'GET /api/app/documents/{id}/file', {
  ...ROUTE,
  spec: 'D1-2.12',
  summary: 'The payload of a document: sealed to the caller, or a broadcast as it is',
  description:
    'The payload of a received document: a wrapper sealed to the caller, or, where it went to everybody, the JSON or the file as it is. ' +
    '`payload_kind` says which, since the file may be JSON too.',
  params: ofDocument,
  result: BinaryAnswer,
  produces: 'bytes',
  refusals: ['documents.not_found'],
});

/** An act on a document. The request carries the plaintext. Without a seal the act does not take place. @spec D1-2.12 @gap D1-2.12 */
const ACT = { ...ROUTE, act: 'id', spec: 'D1-3.3', params: ofDocument, result: CompanyDocument } as const;
const ACT_REFUSALS = ['request.invalid', 'documents.not_found', 'documents.transition_invalid', 'account.counterparty_deleted'] as const;

export const signDocument = endpoint('sign_document', 'POST /api/app/documents/{id}/sign', {
  ...ACT,
  summary: 'Sign a document',
  description:
    'Signs a document. Since the server cannot read it, the act carries the PDF under a one-time key; the server checks its ' +
    'digest, and with the last signature seals the PDF and encrypts it again for every party. When the seal cannot be made nothing ' +
    'is stored: repeat the act.',
  body: SignAct,
  largest: UPLOAD_BODY_BYTES,
  streams: 'in memory',
  refusals: [...ACT_REFUSALS, 'documents.file_invalid', 'documents.too_large', 'documents.seal_failed'],
});

export const acceptDocument = endpoint('accept_document', 'POST /api/app/documents/{id}/accept', {
  ...ACT,
  summary: 'Accept an offer',
  description:
    'Accepts an offer, with the same members as signing where the document is a file. Where it is the last act of a document, it ' +
    'is sealed as well.',
  body: AcceptAct,
  largest: UPLOAD_BODY_BYTES,
  streams: 'in memory',
  refusals: [...ACT_REFUSALS, 'documents.file_invalid', 'documents.too_large', 'documents.seal_failed'],
});

export const declineDocument = endpoint('decline_document', 'POST /api/app/documents/{id}/decline', {
  ...ACT,
  spec: 'D2-3',
  summary: 'Decline a document; a run it belongs to is cancelled',
  description: 'Turns a document down. If it belongs to a run, the whole run is cancelled.',
  body: z.strictObject({}),
  refusals: ACT_REFUSALS,
});

export const cancelDocument = endpoint('cancel_document', 'POST /api/app/documents/{id}/cancel', {
  ...ACT,
  summary: 'Cancel an active contract, today or from a later day',
  description:
    'Cancels an active contract, from today or from a later day, where the service allows that in the app. From a later day it ' +
    'stays `active_but_ending` until then.',
  body: CancelAct,
  refusals: ACT_REFUSALS,
});
