import { readConfig } from '@codase/runtime/config';
import { TargetRefused, type Outbound } from '@codase/runtime/http';
import { DeliveryConfig } from '../../kit/config.ts';
import { WEBHOOKS } from './capability.ts';
import { OUTBOUND } from './delivery/delivery.worker.ts';

const ENV = {
  NODE_ENV: 'development',
  NATS_URL: 'nats://127.0.0.1:4222',
  OPS_PORT: '0',
  DATABASES: '{}',
  STORED_SECRETS_KEYS: '{}',
  WEBHOOK_SIGNING_KEYS: '{}',
  LOOPBACK_TARGETS: 'allowed',
};

describe('webhook delivery', () => {
  it.each([
    ['networks', { OUTBOUND_DENY_NETWORKS: '127.0.0.0/8' }],
    ['ports', { OUTBOUND_DENY_PORTS: '9' }],
  ])('sends nothing to %s that the operator has denied', async (_, denied) => {
    const { providers = [] } = WEBHOOKS.parts.delivery!.configure!(readConfig(DeliveryConfig, { ...ENV, ...denied }));
    const { useValue } = providers.find((one) => 'provide' in one && one.provide === OUTBOUND) as { useValue: Outbound };

    const sent = useValue.send('http://127.0.0.1:9/', { method: 'POST', headers: {}, deadlineMs: 1000, answerBytes: 0 });

    await expect(sent).rejects.toThrow(TargetRefused);
    await useValue.close();
  });
});
