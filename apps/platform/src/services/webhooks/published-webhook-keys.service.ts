import { Injectable } from '@nestjs/common';
import type { Output, webhooks } from '@codase/contracts';
import type { LiveKeys, LiveVariable } from '@codase/runtime/config';
import type { WebhookKeys } from '../../kit/config.ts';
import { webhookKeyId } from '../../kit/secrets/webhook-signing-keys.ts';

/** The public keys of the deliveries of all regions, as every base publishes them. @gap D1-6.4 */
@Injectable()
export class PublishedWebhookKeys implements LiveKeys {
  constructor(private readonly variable: Pick<LiveVariable<WebhookKeys>, 'current' | 'reread'>) {}

  get keySet(): Output<typeof webhooks.webhookKeys> {
    const keys = Object.entries(this.variable.current).flatMap(([region, known]) => known.map((key) => ({ ...key, region })));
    return { keys: keys.map((key) => ({ ...key, alg: 'EdDSA', use: 'sig', kid: webhookKeyId(key), whpk: whpkOf(key) })) };
  }

  reread(): void {
    this.variable.reread();
  }

  ids(): Record<string, readonly string[]> {
    return { webhook_keys: Object.values(this.variable.current).flat().map(webhookKeyId) };
  }
}

const whpkOf = ({ x }: { x: string }): string => `whpk_${Buffer.from(x, 'base64url').toString('base64')}`;
