import { Refusal, type Callers } from '@codase/contracts';
import type { ClientRow } from '../clients/index.ts';
import type { Claims } from './access-token.ts';

export type KnownCaller = Callers[Exclude<keyof Callers, 'anyone'>];

/** Returns the caller that a handler works with. An account client acts as its company. @spec D1-5.2 @spec D1-5.5 */
export function callerOf(
  { kind, client_id, company_user_id, service_id }: ClientRow,
  { sub, sid: session_id, cnf }: Pick<Claims, 'sub' | 'sid' | 'cnf'>,
): KnownCaller {
  switch (kind) {
    case 'service':
      return { kind, client_id, company_user_id: company_user_id!, service_id: service_id! };
    case 'account':
      return { kind, client_id, company_user_id: company_user_id! };
    case 'app':
      throw new Refusal('auth.client_endpoint_forbidden');
    case 'portal':
      return { kind, client_id, company_user_id: sub, session_id };
    case 'person':
      return { kind, client_id, person_user_id: sub, session_id, jkt: cnf?.jkt };
  }
}

/** The user whose account a caller acts for: a person, or the company of a client or of the portal. */
export const userOf = (caller: KnownCaller): string => (caller.kind === 'person' ? caller.person_user_id : caller.company_user_id);
