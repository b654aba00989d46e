import { webhooks } from '@codase/contracts';
import type { World } from '@codase/testing';

const HMAC = { auth_type: 'hmac', hmac_secret: 'a secret between the webhook and its channel' } as const;

/**
 * Makes the shop's events come as deliveries of a webhook, in the envelope of the company's account, and starts the feed consumer again.
 */
export async function takesDeliveries(world: World): Promise<void> {
  const url = world.hookUrl('shop');
  const { id } = await world.acme.asks(webhooks.createWebhook, {
    params: { id: world.shop.service_id! },
    body: { url, encrypt_payload: true, ...HMAC },
  });
  await world.stop('feed-consumer');
  const channel = { mode: 'webhook', webhook_id: id, auth: HMAC, encrypt_payload: true };
  await world.starts('feed-consumer', { CHANNELS: JSON.stringify({ shop: channel }), PORT: new URL(url).port });
}
