import type { ChallengeStatus } from '@codase/contracts';

/** A challenge as the company's region keeps it. @spec D1-2.10 */
export interface ChallengeRow {
  challenge_id: string;
  company_user_id: string;
  service_id: string;
  /** The client that raised the challenge. The challenge is revoked when this client is deleted. */
  client_id: string;
  connection_id: string;
  person_user_id: string;
  share_code: string;
  /** The hash of the idempotency key, while the key is remembered. */
  key_hash: string | null;
  body_hash: string;
  status: ChallengeStatus;
  /** Null when the challenge is no longer open. */
  context: string | null;
  /** Null when the challenge is no longer open, or when number matching was off. */
  digits: string | null;
  created_at: Date;
  expires_at: Date;
  completed_at: Date | null;
  /** When the outcome was delivered. */
  consumed_at: Date | null;
  /** The trace in which the challenge was raised. The person's answer belongs to it. */
  traceparent: string | null;
}

/** A person who approves the logins of a service, and the connection through which the person does so. @spec D1-2.10 */
export interface EnrolmentRow {
  enrolment_id: string;
  company_user_id: string;
  service_id: string;
  connection_id: string;
  person_user_id: string;
  share_code: string;
  enrolled_at: Date;
}
