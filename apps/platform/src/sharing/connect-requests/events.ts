import type { AppEventKind } from '@codase/contracts';
import type { NewAppEvent } from '../../foundation/app-events/index.ts';
import type { NewEvent } from '../../services/feed/index.ts';
import type { ConnectRequestEntity } from './connect-request.entity.ts';

/** The event that says what the person answered. @spec D1-6.1 */
export const answerEvent = (
  event: 'connection_request_accepted' | 'connection_request_rejected',
  { company_user_id, service_id, request_id, person_user_id, share_code }: ConnectRequestEntity,
  at: Date,
): NewEvent => ({ company_user_id, service_id, event: { event, person_user_id, share_code, at: at.toISOString(), request_id } });

/** The event for the phones of the person. @gap D1-1 */
export const phoneEvent = (
  kind: Extract<AppEventKind, 'connection_requested' | 'connection_request_closed'>,
  { person_user_id, company_user_id, request_id }: Pick<ConnectRequestEntity, 'person_user_id' | 'company_user_id' | 'request_id'>,
  at: Date,
): NewAppEvent => ({ person_user_id, company_user_id, kind, object_id: request_id, at });
