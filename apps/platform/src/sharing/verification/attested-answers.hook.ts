import type { Verification } from '@codase/contracts';
import { hook } from '../../kit/hooks.ts';

/** A capability that shows verified answers of customers to services, beside the values of connections. */
export interface AttestedAnswers {
  /** Finds an answer that is verified so and that the service can read. */
  findAttested(service: { service_id: string; company_user_id: string }, verification_id: string): Promise<Verification | undefined>;
}
export const ATTESTED_ANSWERS = hook<AttestedAnswers>('verified answers beside connections');
