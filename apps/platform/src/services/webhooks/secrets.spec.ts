import { standardSecretBytes } from '@codase/crypto';
import { mask } from '../../kit/mask.ts';
import { completeSecrets, maskAll, mergeSecrets, previousSecret, withPrevious, type Secrets, type WebhookBody } from './secrets.ts';

const body = (given: Partial<WebhookBody>): WebhookBody => ({
  url: 'https://hooks.example',
  events: [],
  format: 'json',
  auth_type: 'bearer',
  encrypt_payload: false,
  standard_webhooks: false,
  enabled: true,
  ...given,
});

describe('webhook secrets @spec D1-2.9', () => {
  it.each([
    ['a-token-of-ours', '••••ours'],
    ['12345678', '••••5678'],
    ['1234567', '••••'],
    ['x', '••••'],
  ])('the secret %s is masked as %s', (secret, masked) => {
    expect(mask(secret)).toBe(masked);
  });

  it('masking returns null for every secret that is not set', () => {
    expect(maskAll({ auth_token: 'a-token-of-ours' })).toEqual({
      hmac_secret: null,
      auth_token: '••••ours',
      auth_username: null,
      auth_password: null,
      auth_header_name: null,
      auth_header_value: null,
    });
  });

  const stored: Secrets = { auth_token: 'a-token-of-ours', hmac_secret: 'short' };

  it.each<[string, Partial<WebhookBody>, Secrets]>([
    ['left out', {}, stored],
    ['echoed as their masks', { auth_token: '••••ours', hmac_secret: '••••' }, stored],
    ['given anew', { auth_token: 'another one' }, { ...stored, auth_token: 'another one' }],
    ['of another way', { auth_username: 'us' }, { ...stored, auth_username: 'us' }],
  ])('a change merges correctly with the stored secrets when they are %s', (_, given, merged) => {
    expect(mergeSecrets(stored, body(given))).toEqual(merged);
  });

  it.each<[string, Partial<WebhookBody>]>([
    ['of a secret that was replaced meanwhile', { auth_token: '••••past' }],
    ['of a secret that is not there', { auth_password: '••••' }],
  ])('a change is refused when it has a mask %s', (_, given) => {
    expect(() => mergeSecrets(stored, body(given))).toThrow(expect.objectContaining({ key: 'services.webhook_auth_invalid' }));
  });

  it.each<[WebhookBody['auth_type'], Secrets, string]>([
    ['bearer', {}, 'auth_token: is missing; auth_type bearer needs it'],
    ['basic', { auth_username: 'us' }, 'auth_password: is missing; auth_type basic needs it'],
    ['header', {}, 'auth_header_name, auth_header_value: is missing; auth_type header needs it'],
  ])('auth_type %s is refused when the secrets it needs are missing from %j', (auth_type, secrets, message) => {
    expect(() => completeSecrets({ auth_type, standard_webhooks: false }, secrets)).toThrow(message);
  });

  it('auth_type hmac without a secret generates one, which is shown once', () => {
    const made = completeSecrets({ auth_type: 'hmac', standard_webhooks: false }, {});

    expect(made.hmac_secret_once).toMatch(/^[\w-]{43}$/);
    expect(made.secrets).toEqual({ hmac_secret: made.hmac_secret_once });
    expect(completeSecrets({ auth_type: 'hmac', standard_webhooks: false }, made.secrets)).toEqual({ secrets: made.secrets });
    expect(completeSecrets({ auth_type: 'none', standard_webhooks: false }, {})).toEqual({ secrets: {} });
  });

  describe('of a webhook with standard_webhooks @gap D1-6.4', () => {
    const complete = (secrets: Secrets) => completeSecrets({ auth_type: 'hmac', standard_webhooks: true }, secrets);

    it('generates a whsec_ secret of 32 bytes', () => {
      const { hmac_secret_once } = complete({});

      expect(standardSecretBytes(hmac_secret_once!)).toHaveLength(32);
    });

    it.each([
      [{ hmac_secret: 'whsec_1' }, 'must be whsec_ and 24 to 64 bytes'],
      [{ hmac_secret: `whsec_${Buffer.alloc(65).toString('base64')}` }, 'must be whsec_ and 24 to 64 bytes'],
      [{ hmac_secret: 'ours', auth_header_name: 'Webhook-Signature' }, 'names a header that standard_webhooks adds'],
    ])('refuses %j', (secrets, message) => {
      expect(() => complete(secrets)).toThrow(message);
    });

    it('keeps a secret of another form', () => {
      expect(complete({ hmac_secret: 'a secret of ours' })).toEqual({ secrets: { hmac_secret: 'a secret of ours' } });
    });
  });

  describe('a replaced HMAC secret @gap D1-6.4', () => {
    const now = new Date('2026-11-16T00:00:00Z');
    const hoursLater = (hours: number) => new Date(now.getTime() + hours * 60 * 60_000);

    it('remains the previous secret for a day', () => {
      const changed = withPrevious({ hmac_secret: 'old' }, { hmac_secret: 'new' }, now);

      expect(changed.hmac_secret).toBe('new');
      expect([23, 24].map((hours) => previousSecret(changed, hoursLater(hours)))).toEqual(['old', undefined]);
    });

    it('keeps its expiry when another secret is changed', () => {
      const changed = withPrevious({ hmac_secret: 'old' }, { hmac_secret: 'new' }, now);

      expect(withPrevious(changed, { ...changed, auth_token: 'x' }, hoursLater(20))).toEqual({ ...changed, auth_token: 'x' });
      expect(withPrevious({}, { hmac_secret: 'first' }, now)).toEqual({ hmac_secret: 'first' });
    });
  });
});
