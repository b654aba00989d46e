import { z } from 'zod';
import { peerRead, peerWrite } from '../core/peer-subjects.ts';
import { Done } from '../core/platform-subjects.ts';
import { idempotent } from '../core/subjects.ts';
import { Id } from '../core/text.ts';
import { ConnectRequest } from './customer-shapes.ts';

const ofPerson = z.strictObject({ person_user_id: Id });
const ofRequest = ofPerson.extend({ request_id: Id });

/**
 * Subjects that a person's home region asks of the region in which a connect request lives, which is the company's. Nothing of the request
 * is kept in the person's region. @gap D1-1
 */
export const CONNECT_REQUEST_SUBJECTS = {
  list: idempotent(
    peerRead('connect_requests', { speaksFor: 'person_user_id' }, ofPerson, z.object({ requests: z.array(ConnectRequest) })),
  ),
  /** Answers the code by which the person connects to the service that asked. */
  code: idempotent(peerRead('connect_request_code', { speaksFor: 'person_user_id' }, ofRequest, z.object({ code: z.string() }))),
  /** Sent by the region of a company before it asks a person to connect who is at home in the receiving region. */
  noteAsking: idempotent(
    peerWrite('note_asking_company', { speaksFor: 'company_user_id' }, ofPerson.extend({ company_user_id: Id }), Done),
  ),
  reject: peerWrite(
    'reject_connect_request',
    { speaksFor: 'person_user_id', personAct: ({ request_id }) => ({ act: 'reject_connect_request', on: request_id, body: {} }) },
    ofRequest,
    Done,
  ),
} as const;
