import { Controller } from '@nestjs/common';
import { webhooks } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { PublishedWebhookKeys } from './published-webhook-keys.service.ts';

/** Serves the public keys of deliveries to anyone, at every base. @gap D1-6.4 */
@Controller()
export class WebhookKeysHttp {
  constructor(private readonly keys: PublishedWebhookKeys) {}

  @Serves(webhooks.webhookKeys)
  read() {
    return this.keys.keySet;
  }
}
