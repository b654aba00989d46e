import { createHmac } from 'node:crypto';
import type { WebhookAuth } from '@cds/contracts';
import type { Secrets } from '../secrets.ts';
import { authHeaders } from './auth-headers.ts';

const BODY = Buffer.from('{"event":"connection_created"}');
const secrets: Secrets = {
  hmac_secret: 'shh',
  auth_token: 'a-token',
  auth_username: 'us',
  auth_password: 'p:w',
  auth_header_name: 'X-Our-Key',
  auth_header_value: 'key of ours',
};

describe('how a delivery authenticates @spec D1-6.4', () => {
  it.each<[WebhookAuth, Record<string, string>]>([
    ['hmac', { 'X-Platform-Signature': createHmac('sha256', 'shh').update(BODY).digest('hex') }],
    ['bearer', { Authorization: 'Bearer a-token' }],
    ['basic', { Authorization: `Basic ${Buffer.from('us:p:w').toString('base64')}` }],
    ['header', { 'X-Our-Key': 'key of ours' }],
    ['none', {}],
  ])('by %s', async (auth_type, headers) => {
    expect(await authHeaders(auth_type, secrets, BODY)).toEqual(headers);
  });
});
