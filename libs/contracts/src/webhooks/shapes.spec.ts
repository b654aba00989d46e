import { refused } from '../core/refused.check.ts';
import { EventName } from '../feed/event-names.ts';
import { WEBHOOK } from './examples.ts';
import { Masked, NewWebhook, Webhook, WebhookChange } from './shapes.ts';

const url = 'https://hooks.acme.example/codase';

describe("a webhook's configuration", () => {
  it('defaults to JSON with HMAC for all events', () => {
    expect(NewWebhook.parse({ url })).toEqual({
      url,
      events: [],
      format: 'json',
      auth_type: 'hmac',
      encrypt_payload: false,
      standard_webhooks: false,
      enabled: true,
    });
  });

  it.each([
    ['http://10.0.0.8/hook', undefined],
    ['ftp://acme.example', 'services.webhook_url_invalid'],
    ['https://', 'services.webhook_url_invalid'],
    ['hooks.acme.example', 'services.webhook_url_invalid'],
    ['HTTPS://hooks.acme.example:8443/a%20b?c#d', undefined],
    ['https:hooks.acme.example', 'services.webhook_url_invalid'],
    ['https:///hooks.acme.example', 'services.webhook_url_invalid'],
    ['https:\\\\hooks.acme.example', 'services.webhook_url_invalid'],
    [' https://hooks.acme.example', 'services.webhook_url_invalid'],
    ['https://hooks.acme.example/a b', 'services.webhook_url_invalid'],
    ['https://hooks.acme\t.example', 'services.webhook_url_invalid'],
    ['https://user:word@hooks.acme.example', 'services.webhook_url_invalid'],
    [undefined, 'services.webhook_url_invalid'],
  ])('is validated by its URL: %s', (url, key) => {
    expect(refused(NewWebhook, { url })).toBe(key);
  });

  it.each([
    [{ auth_type: 'bearer' }, 'services.webhook_auth_invalid'],
    [{ auth_type: 'bearer', auth_token: 't' }, undefined],
    [{ auth_type: 'basic', auth_username: 'u' }, 'services.webhook_auth_invalid'],
    [{ auth_type: 'basic', auth_username: 'u', auth_password: 'p' }, undefined],
    [{ auth_type: 'header', auth_header_name: 'X-Key' }, 'services.webhook_auth_invalid'],
    [{ auth_type: 'header', auth_header_name: 'X-Key', auth_header_value: 'v' }, undefined],
    [{ auth_type: 'header', auth_header_name: 'X Key', auth_header_value: 'v' }, 'request.invalid'],
    [{ auth_type: 'header', auth_header_name: 'X-Key', auth_header_value: 'v\r\nX-Evil: 1' }, 'request.invalid'],
    [{ auth_type: 'basic', auth_username: 'u:p', auth_password: 'p' }, 'services.webhook_auth_invalid'],
    [{ auth_type: 'none' }, undefined],
  ])('is validated by its authentication: %j', (auth, key) => {
    expect(refused(NewWebhook, { url, ...auth })).toBe(key);
  });

  it.each([
    'User-Agent',
    'content-type',
    'Content-Length',
    'Transfer-Encoding',
    'host',
    'Expect',
    'Upgrade',
    'Keep-Alive',
    'Connection',
    'Trailer',
    'TE',
    'traceparent',
    'tracestate',
    'x-platform-webhook-ID',
    'X-Platform-Signature',
  ])('cannot authenticate with the reserved header %s', (auth_header_name) => {
    expect(refused(NewWebhook, { url, auth_type: 'header', auth_header_name, auth_header_value: 'v' })).toBe(
      'services.webhook_auth_invalid',
    );
  });

  it('keeps a stored secret that a change omits', () => {
    expect(refused(WebhookChange, { url, auth_type: 'bearer' })).toBeUndefined();
  });

  it('accepts only the names of events', () => {
    expect(refused(NewWebhook, { url, events: EventName.options })).toBeUndefined();
    expect(refused(NewWebhook, { url, events: ['field_changed'] })).toBe('request.invalid');
  });

  it('returns secrets only masked as four bullets and the last four characters', () => {
    expect(refused(Masked, '••••c9Q4')).toBeUndefined();
    expect(refused(Masked, 'whsec_5f2c9Q4')).toBe('request.invalid');
    expect(refused(Webhook, { ...WEBHOOK, hmac_secret: 'whsec_5f2c9Q4' })).toBe('request.invalid');
    expect(
      refused(WebhookChange, { url, auth_type: 'header', auth_header_name: '••••-Key', auth_header_value: '••••t123' }),
    ).toBeUndefined();
  });
});
