import { z } from 'zod';
import { Done, peerSubject } from '../core/platform-subjects.ts';
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
  list: idempotent(peerSubject('connect_requests', ofPerson, z.object({ requests: z.array(ConnectRequest) }))),
  /** Answers the code by which the person connects to the service that asked. */
  code: idempotent(peerSubject('connect_request_code', ofRequest, z.object({ code: z.string() }))),
  /** Sent by the region of a company before it asks a person to connect who is at home in the receiving region. */
  noteAsking: idempotent(peerSubject('note_asking_company', ofPerson.extend({ company_user_id: Id }), Done)),
  reject: peerSubject('reject_connect_request', ofRequest, Done),
} as const;
