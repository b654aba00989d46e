import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { standardSecretBytes, verifyStandardWebhook, type StandardDelivery } from './standard-webhooks.ts';

const AT = new Date('2026-11-15T00:00:00Z');
const BODY = new TextEncoder().encode('{"event":"connection_created"}');
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const WHPK = `whpk_${Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64')}`;
const SECRET = randomBytes(32);
const WHSEC = `whsec_${SECRET.toString('base64')}`;
const OTHER_WHSEC = `whsec_${randomBytes(32).toString('base64')}`;

const ID = 'wh_1:evt_1';
const timestamp = String(AT.getTime() / 1000);
const content = Buffer.concat([Buffer.from(`${ID}.${timestamp}.`), BODY]);
const v1 = `v1,${createHmac('sha256', SECRET).update(content).digest('base64')}`;
const v1a = `v1a,${sign(null, content, privateKey).toString('base64')}`;
const headers = { id: ID, timestamp, signature: `${v1} ${v1a}` };
const verifies = (changed: Partial<StandardDelivery>) =>
  verifyStandardWebhook({ webhook_id: 'wh_1', headers, body: BODY, keys: [WHPK], ...changed });

describe('a delivery by Standard Webhooks @gap D1-6.4', () => {
  it.each([
    ['the public key', [WHPK]],
    ['the secret', [WHSEC]],
    ['one of several keys', [OTHER_WHSEC, WHPK]],
  ])('is verified with %s, and says its event and its time', async (_, keys) => {
    expect(await verifies({ keys })).toEqual({ event_id: 'evt_1', signed_at: AT });
  });

  it.each<[string, Partial<StandardDelivery>]>([
    ['another body', { body: new TextEncoder().encode('{}') }],
    ['another webhook', { webhook_id: 'wh_2' }],
    ['a webhook whose id is longer', { webhook_id: 'wh' }],
    ['another event', { headers: { ...headers, id: 'wh_1:evt_2' } }],
    ['no event', { headers: { ...headers, id: 'wh_1:' } }],
    ['another time', { headers: { ...headers, timestamp: String(Number(timestamp) + 1) } }],
    ['a time that is no number', { headers: { ...headers, timestamp: 'soon' } }],
    ['no headers', { headers: { id: undefined, timestamp: undefined, signature: undefined } }],
    ['only the signature by the secret', { headers: { ...headers, signature: v1 } }],
    ['a signature under the other name', { headers: { ...headers, signature: v1a.replace('v1a', 'v1') } }],
    ['a signature that is cut', { headers: { ...headers, signature: v1a.slice(0, -4) } }],
    ['another key', { keys: [OTHER_WHSEC] }],
    ['no key', { keys: [] }],
    ['a signature behind too many others', { headers: { ...headers, signature: `${'x '.repeat(8)}${v1a}` } }],
  ])('is not verified with %s', async (_, changed) => {
    expect(await verifies(changed)).toBeUndefined();
  });

  it.each(['', 'whpk_', 'whsec_short', WHPK.slice(0, -4), 'a secret of ours'])('is not verified with the malformed key %j', async (key) => {
    await expect(verifies({ keys: [key] })).rejects.toThrow(TypeError);
  });
});

it.each([
  [24, 24],
  [64, 64],
  [23, undefined],
  [65, undefined],
])('a whsec_ secret of %d bytes has %s', (length, expected) => {
  expect(standardSecretBytes(`whsec_${Buffer.alloc(length).toString('base64')}`)?.length).toBe(expected);
});
