import type { QueuedEvent } from '../../feed/index.ts';
import type { WebhookRow } from '../webhook-row.ts';

/** A webhook with what a delivery needs of its company. */
export interface WebhookTarget extends WebhookRow {
  account_public_key: string;
}

/** A webhook that is delivered to: never one whose health is bad. */
export interface ActiveTarget extends WebhookTarget {
  health: Exclude<WebhookRow['health'], 'bad'>;
}

/** The next event of a webhook, and the webhook as it was when the event was read. */
export interface PendingDelivery {
  webhook: ActiveTarget;
  event: Omit<QueuedEvent, 'is_replaced'>;
}

/** Whether the event was parked: it is older than the webhook's health. It keeps the id of its row, others get a new one. @spec D1-6.3 */
export const isReplay = ({ webhook: { health, health_since }, event: { created_at } }: PendingDelivery): boolean =>
  health === 'unknown' || created_at < health_since;

/**
 * The outcome of writing down how a delivery ended. gone: its row, or the webhook as it was, no longer exists. locked: another transaction
 * has locked it, such as a drain whose answer leaves slowly, and the write is repeated later.
 */
export type WriteOutcome = 'done' | 'gone' | 'locked';

/** How a delivery ended. @gap D1-4.7 */
export interface DeliveryResult {
  delivered: boolean;
  status: number | null;
  reason: string | null;
}
