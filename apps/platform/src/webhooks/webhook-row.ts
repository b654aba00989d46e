import type { Output, Webhook, webhooks } from '@cds/contracts';
import { maskAll, type Secrets } from './secrets.ts';

/** A webhook as its region keeps it. @spec D1-2.9 */
export interface WebhookRow extends Pick<Webhook, 'url' | 'events' | 'format' | 'auth_type' | 'encrypt_payload' | 'enabled'> {
  webhook_id: string;
  company_user_id: string;
  service_id: string;
  sealed_secrets: string;
  health: Webhook['health']['state'];
  health_since: Date;
  created_at: Date;
}

/** A webhook as its owner reads it, its secrets masked. @spec D1-2.9 */
export const toldWebhook = ({ webhook_id, created_at, ...row }: WebhookRow, secrets: Secrets): Output<typeof webhooks.readWebhook> => ({
  ...row,
  ...maskAll(secrets),
  id: webhook_id,
  health: toldHealth(row),
  created_at: created_at.toISOString(),
});

/** How its endpoint is doing. Nothing is delivered yet, so nothing waits. @spec D1-3.2 */
const toldHealth = ({ health, health_since }: Pick<WebhookRow, 'health' | 'health_since'>): Webhook['health'] => ({
  state: health,
  since: health_since.toISOString(),
  next_probe_at: null,
  backlog: 0,
  oldest_at: null,
});
