import type { Output, Webhook, webhooks } from '@codase/contracts';
import { maskAll, type Secrets } from './secrets.ts';
import type { WebhookEntity } from './webhook.entity.ts';

/** A webhook as its region keeps it. @spec D1-2.9 */
export type WebhookRow = Omit<WebhookEntity, 'alerted_at' | 'is_settled' | 'secret_id'>;

/** A webhook as its owner configures it. */
export interface ConfiguredWebhook extends WebhookRow {
  /** Says which signing secret the webhook has now, and nothing of it; null when it has none. @gap D1-5.1 */
  secret_id: string | null;
}

/** The waiting events of a webhook: how many, and since when. @spec D1-3.2 */
export interface Backlog {
  backlog: number;
  oldest_at: Date | null;
}

export const NOTHING_WAITS: Backlog = { backlog: 0, oldest_at: null };

type PresentedWebhook = Output<typeof webhooks.readWebhook>;

/** Returns a webhook as its owner reads it, with masked secrets. @spec D1-2.9 */
export const presentWebhook = ({ webhook_id, created_at, ...row }: WebhookRow, secrets: Secrets, backlog: Backlog): PresentedWebhook => ({
  ...row,
  ...maskAll(secrets),
  id: webhook_id,
  health: presentHealth(row, backlog),
  created_at: created_at.toISOString(),
});

/** Returns the health of the endpoint with its backlog. @spec D1-3.2 */
const presentHealth = (
  row: Pick<WebhookRow, 'health' | 'health_since' | 'next_probe_at'>,
  { backlog, oldest_at }: Backlog,
): Webhook['health'] => ({
  state: row.health,
  since: row.health_since.toISOString(),
  next_probe_at: row.next_probe_at?.toISOString() ?? null,
  backlog,
  oldest_at: oldest_at?.toISOString() ?? null,
});

/** Returns the host alone, because the rest of the address may carry a secret. */
export const hostOf = ({ url }: Pick<WebhookRow, 'url'>): string => new URL(url).host;
