import type { ChallengeStatus } from '@cds/contracts';

/** A challenge as the company's region keeps it. @spec D1-2.10 */
export interface ChallengeRow {
  challenge_id: string;
  company_user_id: string;
  service_id: string;
  /** Who raised it: it is revoked when that client is deleted. */
  client_id: string;
  connection_id: string;
  person_user_id: string;
  share_code: string;
  /** Of the idempotency key, while that is remembered. */
  key_hash: string | null;
  body_hash: string;
  status: ChallengeStatus;
  /** Null when it is no longer open, as are the digits. */
  context: string | null;
  /** Null also where number matching was off. */
  digits: string | null;
  created_at: Date;
  expires_at: Date;
  completed_at: Date | null;
  /** When its outcome was delivered. */
  consumed_at: Date | null;
  /** The trace in which it was raised: the person's answer belongs to it. */
  traceparent: string | null;
}

/** A person who approves the logins of a service, and the connection through which. @spec D1-2.10 */
export interface EnrolmentRow {
  enrolment_id: string;
  company_user_id: string;
  service_id: string;
  connection_id: string;
  person_user_id: string;
  share_code: string;
  enrolled_at: Date;
}
