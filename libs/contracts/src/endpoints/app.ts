import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { MESSAGE_CHARS, UPLOAD_BODY_BYTES } from '../limits.ts';
import { AUTHENTICATED, WRITES } from '../refusals.ts';
import { AccountKeys, TrustedDevice } from '../shapes/account.ts';
import { Nothing, page, Paging, whole } from '../shapes/answers.ts';
import { ChallengeCard, ChallengeOutcome, Enrolment } from '../shapes/challenge.ts';
import { Message } from '../shapes/connection.ts';
import { ConnectRequest, CustomerConnection, SharedValues } from '../shapes/customer.ts';
import { sealedUpTo } from '../shapes/sealed.ts';
import { Id, idOr, Line, Timestamp } from '../shapes/text.ts';
import { challengeId, connectionId } from './params.ts';

/** What only a phone does. @gap D1-1 */
const ROUTE = { tag: 'consumer app', at: ['region'], callers: ['person'] } as const;
const ofChallenge = z.object({ challengeId });

export const listChallenges = endpoint({
  ...ROUTE,
  name: 'list_challenges',
  method: 'GET',
  path: '/api/app/challenges',
  spec: 'D1-3.1',
  summary: "The logins that wait for the person's approval",
  status: 200,
  result: whole(ChallengeCard),
  refusals: [...AUTHENTICATED, 'twofa.unavailable'],
});

/** The digits are compared by the server, and one wrong entry denies. @gap D1-4.5 */
export const approveChallenge = endpoint({
  ...ROUTE,
  name: 'approve_challenge',
  method: 'POST',
  path: '/api/app/challenges/{challengeId}/approve',
  spec: 'D1-3.1',
  summary: 'Approve a login, after the phone was unlocked for it',
  params: ofChallenge,
  body: z.strictObject({ gate: z.enum(['biometric', 'passcode']), digits: z.string().max(16).optional() }),
  status: 200,
  result: z.object({ status: ChallengeOutcome, completed_at: Timestamp }),
  refusals: [...WRITES, 'request.invalid', 'twofa.challenge_not_found', 'twofa.challenge_closed', 'twofa.unavailable'],
});

export const denyChallenge = endpoint({
  ...ROUTE,
  name: 'deny_challenge',
  method: 'POST',
  path: '/api/app/challenges/{challengeId}/deny',
  spec: 'D1-3.1',
  summary: 'Deny a login; needs no unlocking',
  params: ofChallenge,
  status: 200,
  result: z.object({ status: ChallengeOutcome, completed_at: Timestamp }),
  refusals: [...WRITES, 'twofa.challenge_not_found', 'twofa.challenge_closed', 'twofa.unavailable'],
});

export const listEnrolments = endpoint({
  ...ROUTE,
  name: 'list_enrolments',
  method: 'GET',
  path: '/api/app/enrolments',
  spec: 'D1-3.2',
  summary: 'The services whose logins the person approves',
  status: 200,
  result: whole(Enrolment),
  refusals: AUTHENTICATED,
});

export const revokeEnrolment = endpoint({
  ...ROUTE,
  name: 'revoke_enrolment',
  method: 'DELETE',
  path: '/api/app/enrolments/{serviceId}',
  spec: 'D1-3.2',
  summary: 'End an enrolment; its open challenges are revoked',
  params: z.object({ serviceId: idOr('twofa.not_enrolled') }),
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'twofa.not_enrolled'],
});

export const listMessages = endpoint({
  ...ROUTE,
  name: 'list_messages',
  method: 'GET',
  path: '/api/app/messages',
  spec: 'D1-4.2',
  summary: 'The messages of a connection, newest first',
  query: Paging.extend({ connection_id: connectionId }),
  status: 200,
  result: page(Message),
  refusals: [...AUTHENTICATED, 'request.invalid', 'company_data.connection_not_found'],
});

export const writeMessage = endpoint({
  ...ROUTE,
  name: 'write_message',
  method: 'POST',
  path: '/api/app/messages',
  spec: 'D1-6.1',
  summary: 'Write to a service, sealed to its key',
  body: z.strictObject({ connection_id: connectionId, body: sealedUpTo(MESSAGE_CHARS, 'request.invalid') }),
  status: 201,
  result: z.object({ message_id: Id, connection_id: Id, created_at: Timestamp }),
  refusals: [...WRITES, 'request.invalid', 'company_data.connection_not_found', 'contact_data.encryption_required'],
});

const ofRequest = z.object({ requestId: idOr('company_connections.request_not_found') });

export const listConnectRequests = endpoint({
  ...ROUTE,
  name: 'list_connect_requests',
  method: 'GET',
  path: '/api/app/connect-requests',
  spec: 'D1-4.2',
  summary: 'The services that ask the person to connect',
  status: 200,
  result: whole(ConnectRequest),
  refusals: AUTHENTICATED,
});

export const acceptConnectRequest = endpoint({
  ...ROUTE,
  name: 'accept_connect_request',
  method: 'POST',
  path: '/api/app/connect-requests/{requestId}/accept',
  spec: 'D1-6.1',
  summary: 'Connect to the service that asked, as if by its code',
  params: ofRequest,
  body: z.strictObject({ values: SharedValues.default([]) }),
  largest: 2 * UPLOAD_BODY_BYTES,
  status: 201,
  result: CustomerConnection,
  refusals: [
    ...WRITES,
    'request.invalid',
    'company_connections.request_not_found',
    'company_connections.exists',
    'company_connections.values_invalid',
    'contact_data.encryption_required',
    'documents.too_large',
  ],
});

export const rejectConnectRequest = endpoint({
  ...ROUTE,
  name: 'reject_connect_request',
  method: 'POST',
  path: '/api/app/connect-requests/{requestId}/reject',
  spec: 'D1-6.1',
  summary: 'Turn a connect request down',
  params: ofRequest,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'company_connections.request_not_found'],
});

export const listPhones = endpoint({
  ...ROUTE,
  name: 'list_phones',
  method: 'GET',
  path: '/api/app/trusted-devices',
  spec: 'D1-3.1',
  summary: "The phones a person's cards are pushed to",
  status: 200,
  result: whole(TrustedDevice),
  refusals: AUTHENTICATED,
});

/** A new phone is given what only the person's passphrase opens. @gap D1-5 */
export const addPhone = endpoint({
  ...ROUTE,
  name: 'add_phone',
  method: 'POST',
  path: '/api/app/trusted-devices',
  spec: 'D1-3.1',
  summary: "Trust this phone, and give it the person's encrypted key",
  body: z.strictObject({ name: Line }),
  status: 201,
  result: z.object({ device: TrustedDevice, keys: AccountKeys }),
  refusals: [...WRITES, 'request.invalid'],
});

export const removePhone = endpoint({
  ...ROUTE,
  name: 'remove_phone',
  method: 'DELETE',
  path: '/api/app/trusted-devices/{deviceId}',
  spec: 'D1-3.1',
  summary: 'Trust a phone no more',
  params: z.object({ deviceId: idOr('account.device_not_found') }),
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'account.device_not_found'],
});
