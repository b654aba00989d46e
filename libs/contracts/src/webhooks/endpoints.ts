import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { whole } from '../core/page.ts';
import { ofService, serviceId } from '../core/params.ts';
import { idOr } from '../core/text.ts';
import { NewWebhook, Webhook, WebhookChange, WebhookKeySet, WebhookTest, WrittenWebhook } from './shapes.ts';

const ROUTE = { tag: 'webhooks', at: ['region'], callers: ['account', 'portal'] } as const;
const ofWebhook = z.object({
  id: serviceId,
  webhookId: idOr('services.webhook_not_found').describe('The id of a webhook, from the list of them'),
});
const OF_WEBHOOK = { ...ROUTE, params: ofWebhook } as const;

export const listWebhooks = endpoint('list_webhooks', 'GET /api/services/{id}/webhooks', {
  ...ROUTE,
  spec: 'D1-4.7',
  summary: 'The webhooks of a service, and how their endpoints are doing',
  description:
    'The webhooks of a service with their health: `running`, `bad` after a failed delivery, `unknown` while the next one is tried.',
  params: ofService,
  result: whole(Webhook),
  refusals: ['services.not_found'],
});

export const createWebhook = endpoint('create_webhook', 'POST /api/services/{id}/webhooks', {
  ...ROUTE,
  spec: 'D1-2.9',
  summary: 'Have the events of a service delivered to an address',
  description:
    'Has the events of a service posted to an address, one at a time and in order. Only a 200 counts as delivered; after anything ' +
    'else events wait, the oldest is tried every 10 minutes, and what waits for 7 days is deleted. An empty `events` means all of ' +
    'them. With `hmac` and no secret of yours one is made and shown once, as `hmac_secret_once`. With `standard_webhooks` deliveries ' +
    'also carry `webhook-id`, `webhook-timestamp` and `webhook-signature` of Standard Webhooks: `v1a` by a key of the region ' +
    '(`webhook_keys`), and `v1` when `hmac_secret` is `whsec_` with 24 to 64 bytes in base64, as one is that is made here. ' +
    'Addresses that are not public are taken here and refused at delivery.',
  params: ofService,
  body: NewWebhook,
  status: 201,
  result: WrittenWebhook,
  refusals: ['request.invalid', 'services.not_found', 'services.webhook_url_invalid', 'services.webhook_auth_invalid'],
});

export const readWebhook = endpoint('read_webhook', 'GET /api/services/{id}/webhooks/{webhookId}', {
  ...OF_WEBHOOK,
  spec: 'D1-4.7',
  summary: 'One webhook, its secrets masked',
  description: 'One webhook with its health. Secrets are masked to their last four characters.',
  result: Webhook,
  refusals: ['services.not_found', 'services.webhook_not_found'],
});

export const changeWebhook = endpoint('change_webhook', 'PUT /api/services/{id}/webhooks/{webhookId}', {
  ...OF_WEBHOOK,
  spec: 'D1-2.9',
  summary: 'Change a webhook; a secret that is left out stays as it is',
  description:
    'Replaces the configuration: what is left out takes its default, except for secrets, which stay. Where the new address has another ' +
    'scheme, host or port, all secrets but `hmac_secret` are forgotten, and those of the `auth_type` must be given again. For 24 hours ' +
    'after a change of `hmac_secret` deliveries also carry a signature by the one before. A bad webhook whose address or secrets changed ' +
    'is tried at once.',
  body: WebhookChange,
  result: WrittenWebhook,
  refusals: [
    'request.invalid',
    'services.not_found',
    'services.webhook_not_found',
    'services.webhook_url_invalid',
    'services.webhook_auth_invalid',
    'services.webhook_credentials_required',
  ],
});

export const deleteWebhook = endpoint('delete_webhook', 'DELETE /api/services/{id}/webhooks/{webhookId}', {
  ...OF_WEBHOOK,
  spec: 'D1-6.3',
  summary: 'Delete a webhook with its backlog',
  description: 'Deletes the webhook and the events that wait for it. Drain its backlog first if you need them.',
  refusals: ['services.not_found', 'services.webhook_not_found'],
});

export const testWebhook = endpoint('test_webhook', 'POST /api/services/{id}/webhooks/{webhookId}/test', {
  ...OF_WEBHOOK,
  spec: 'D1-4.7',
  summary: 'Deliver a made-up event, marked X-Platform-Test, and say what came back; health and backlog stay as they are',
  description:
    'Posts a made-up event with the header `X-Platform-Test` and answers what came back, so that an address can be tried before ' +
    'anything depends on it. Nothing is queued.',
  result: WebhookTest,
  refusals: ['services.not_found', 'services.webhook_not_found'],
});

/** Not of the specification: public keys of Standard Webhooks, at an address of our own below the well-known ones. @gap D1-6.4 */
export const webhookKeys = endpoint('webhook_keys', 'GET /.well-known/codase-webhook-keys', {
  tag: 'webhooks',
  at: ['front-door', 'region'],
  callers: ['anyone'],
  spec: 'D1-4.1',
  summary: 'Public keys that verify deliveries with `standard_webhooks`',
  description:
    'The Ed25519 keys of all regions, as a JSON Web Key Set, and each as `whpk_…` too. A delivery is genuine when any key of the set ' +
    'verifies a `v1a` signature of it. Keep the set, and read it again when no key fits: a new key signs beside the old one for a day.',
  result: WebhookKeySet,
});
