import type { RestoredRegion } from '../../kit/after-restore.service.ts';
import { findWebhookById, removeWebhook } from './webhooks.store.ts';

/** Deletes webhooks again that were deleted after the copy was made. */
export async function deleteWebhooksAgain({ tx, acts, report, record }: RestoredRegion): Promise<void> {
  report.webhooks_deleted = await acts.each('webhook.deleted', async (webhook_id) => {
    const webhook = await findWebhookById(tx, webhook_id);
    if (!webhook) return false;
    await removeWebhook(tx, webhook);
    await record({ act: 'webhook.deleted', account_id: webhook.company_user_id, object: webhook_id });
    return true;
  });
}
