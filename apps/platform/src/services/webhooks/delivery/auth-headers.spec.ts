import { createHmac } from 'node:crypto';
import type { WebhookAuth } from '@codase/contracts';
import type { Secrets } from '../secrets.ts';
import { authHeaders } from './auth-headers.ts';

const BODY = Buffer.from('{"event":"connection_created"}');
const NOW = new Date('2026-11-15T00:00:00.900Z');
const T = Math.floor(NOW.getTime() / 1000);
const mac = (secret: string, text: string | Buffer) => createHmac('sha256', secret).update(text).digest('hex');
const secrets: Secrets = {
  hmac_secret: 'shh',
  auth_token: 'a-token',
  auth_username: 'us',
  auth_password: 'p:w',
  auth_header_name: 'X-Our-Key',
  auth_header_value: 'key of ours',
};

describe('authentication headers of a delivery @spec D1-6.4', () => {
  it.each<[WebhookAuth, Record<string, string>]>([
    ['hmac', { 'X-Platform-Signature': mac('shh', BODY), 'X-Platform-Signatures': `t=${T},v1=${mac('shh', `${T}.${BODY}`)}` }],
    ['bearer', { Authorization: 'Bearer a-token' }],
    ['basic', { Authorization: `Basic ${Buffer.from('us:p:w').toString('base64')}` }],
    ['header', { 'X-Our-Key': 'key of ours' }],
    ['none', {}],
  ])('are correct for auth type %s', async (auth_type, headers) => {
    expect(await authHeaders(auth_type, secrets, BODY, NOW)).toEqual(headers);
  });

  it('have signatures by both secrets while one is replaced, and then only by the new one @gap D1-6.4', async () => {
    const [fresh, over] = [new Date(NOW.getTime() + 1000), NOW].map((until) => ({
      ...secrets,
      hmac_secret_previous: 'old',
      hmac_secret_previous_until: until.toISOString(),
    }));
    const signatures = async (secrets: Secrets) => (await authHeaders('hmac', secrets, BODY, NOW))['X-Platform-Signatures'];

    const current = `t=${T},v1=${mac('shh', `${T}.${BODY}`)}`;
    expect(await signatures(fresh!)).toBe(`${current},v1=${mac('old', `${T}.${BODY}`)}`);
    expect(await signatures(over!)).toBe(current);
  });
});
