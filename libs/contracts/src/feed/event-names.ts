import { z } from 'zod';

/** Every kind of event; key_rotated is reserved and never sent. @spec D1-6.1 @spec D2-6 */
export const EventName = z.enum([
  'connection_created',
  'connection_deleted',
  'field_updated',
  'field_deleted',
  'consent_accepted',
  'consent_declined',
  'document_status_changed',
  'document_created',
  'document_updated',
  'document_deleted',
  'connection_request_accepted',
  'connection_request_rejected',
  'flow_run_turn',
  'flow_completed',
  '2fa_challenge_completed',
  'key_rotated',
  'message_received',
]);
export type EventName = z.infer<typeof EventName>;

/** Reserved kinds: a webhook may name them, and they are never sent. @spec D1-6.1 */
export const NEVER_EMITTED: readonly EventName[] = ['key_rotated'];
