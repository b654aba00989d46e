import { endpoint, withoutDevice } from '../core/endpoint.ts';
import * as phone from './received-document-endpoints.ts';
import { CompanySignAct } from './shapes.ts';

/** The documents that a company holds as a customer, in the same shapes as on a phone. @spec D1-5.8 @spec D1-3.3 @gap D1-4.7 */
const ROUTE = { tag: 'customer', callers: ['account', 'portal'] } as const;

export const listReceivedDocuments = endpoint('list_customer_documents', 'GET /api/customer/documents', {
  ...phone.listReceivedDocuments,
  ...ROUTE,
  summary: 'The documents the company holds as a customer, newest first',
  description: 'The documents the company has received as a customer, newest first, in pages.',
});

export const readReceivedDocument = endpoint('read_customer_document', 'GET /api/customer/documents/{id}', {
  ...phone.readReceivedDocument,
  ...ROUTE,
  summary: 'One document the company holds as a customer',
});

export const readReceivedFile = endpoint('read_customer_file', 'GET /api/customer/documents/{id}/file', {
  ...phone.readReceivedFile,
  ...ROUTE,
  summary: "The payload of a document: sealed to the company's account key, or a broadcast as it is",
  description:
    "The payload of a received document: a wrapper sealed to the company's account key, or, where it went to everybody, the JSON or the " +
    'file as it is.',
});

export const signDocument = endpoint('sign_customer_document', 'POST /api/customer/documents/{id}/sign', {
  ...withoutDevice(phone.signDocument),
  ...ROUTE,
  summary: 'Sign a document for the company',
  description:
    'Signs a document in the name of the company; `signer_first_name` and `signer_last_name` say who does. The method is that by which ' +
    'the company made sure of it: `biometric` is for phones of persons. Since the server cannot read the document, the act carries the ' +
    'PDF under a one-time key; the server checks its digest, and with the last signature seals the PDF and encrypts it again for every ' +
    'party. When the seal cannot be made nothing is stored: repeat the act.',
  body: CompanySignAct,
});

export const acceptDocument = endpoint('accept_customer_document', 'POST /api/customer/documents/{id}/accept', {
  ...withoutDevice(phone.acceptDocument),
  ...ROUTE,
  summary: 'Accept an offer for the company',
});

export const declineDocument = endpoint('decline_customer_document', 'POST /api/customer/documents/{id}/decline', {
  ...withoutDevice(phone.declineDocument),
  ...ROUTE,
});

export const cancelDocument = endpoint('cancel_customer_document', 'POST /api/customer/documents/{id}/cancel', {
  ...withoutDevice(phone.cancelDocument),
  ...ROUTE,
  summary: 'Cancel an active contract of the company, today or from a later day',
  description:
    'Cancels an active contract, from today or from a later day, where the service allows it (`can_be_cancelled_in_app`). From a later ' +
    'day it stays `active_but_ending` until then.',
});
