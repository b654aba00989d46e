import type { Examples } from '../core/example.ts';
import { AT, page } from '../core/samples.ts';

export const WEBHOOK = {
  id: 'hook_31f8',
  url: 'https://hooks.acme.example/codase',
  events: ['field_updated', 'field_deleted'],
  format: 'json',
  auth_type: 'hmac',
  encrypt_payload: false,
  standard_webhooks: false,
  enabled: true,
  hmac_secret: '••••c9Q4',
  auth_token: null,
  auth_username: null,
  auth_password: null,
  auth_header_name: null,
  auth_header_value: null,
  health: { state: 'running', since: AT, next_probe_at: null, backlog: 0, oldest_at: null },
  created_at: AT,
};

/** Examples, by the names of the endpoints. */
export const webhooksExamples: Examples = {
  list_webhooks: { result: page(WEBHOOK) },
  create_webhook: { body: { url: WEBHOOK.url, events: WEBHOOK.events }, result: { ...WEBHOOK, hmac_secret_once: 'generated, shown once' } },
  read_webhook: { result: WEBHOOK },
  change_webhook: {
    body: { url: WEBHOOK.url, format: 'xml', auth_type: 'bearer', auth_token: 'a-token-of-ours' },
    result: { ...WEBHOOK, format: 'xml', auth_type: 'bearer', auth_token: '••••ours' },
  },
  webhook_keys: {
    result: {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          alg: 'EdDSA',
          use: 'sig',
          kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          whpk: 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
          region: 'eu',
        },
      ],
    },
  },
  test_webhook: { result: { delivered: true, status: 200, reason: null } },
};
