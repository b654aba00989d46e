import { createHmac } from 'node:crypto';
import { isKeyedHash, isWebhookSignature, keyedHash, signWebhook, signWebhookAt, webhookSignedAt } from './hmac.ts';
import { CryptoRefusal } from './refusal.ts';

const secret = 'hush-åäö';
const body = Buffer.from('{"event":"field_updated"}');
const signature = createHmac('sha256', secret).update(body).digest('hex');

it('signWebhook signs the raw body bytes with the secret as UTF-8 @spec D1-6.4', async () => {
  expect(await signWebhook(secret, body)).toBe(signature);
  expect(await signWebhook(secret, new Uint8Array())).toBe(createHmac('sha256', secret).digest('hex'));
});

it('isWebhookSignature accepts only the signature of the same secret and body @spec D1-6.4', async () => {
  expect(await isWebhookSignature(secret, body, signature)).toBe(true);
  expect(await isWebhookSignature('other', body, signature)).toBe(false);
  expect(await isWebhookSignature(secret, body.subarray(1), signature)).toBe(false);
});

it.each([
  ['missing', undefined],
  ['null', null],
  ['empty', ''],
  ['upper case', signature.toUpperCase()],
  ['cut', signature.slice(2)],
  ['longer', `${signature}00`],
  ['prefixed', `sha256=${signature}`],
  ['with a new line', `${signature}\n`],
  ['not hex', 'z'.repeat(64)],
  ['of another body', createHmac('sha256', secret).update('other').digest('hex')],
])('isWebhookSignature rejects a signature that is %s @spec D1-6.4', async (_, bad) => {
  expect(await isWebhookSignature(secret, body, bad)).toBe(false);
});

it('webhook signing refuses a secret that is empty, too long or not encodable', async () => {
  for (const bad of ['', 'x'.repeat(16_385), '\ud800']) {
    await expect(signWebhook(bad, body)).rejects.toEqual(new CryptoRefusal('secret'));
    await expect(isWebhookSignature(bad, body, signature)).rejects.toEqual(new CryptoRefusal('secret'));
  }
});

it('keyedHash stores a client secret as a keyed hash that isKeyedHash matches @spec D1-2.1', async () => {
  const hash = await keyedHash('pepper', 'client-secret');

  expect(hash).toBe(createHmac('sha256', 'pepper').update('client-secret').digest('hex'));
  expect(await isKeyedHash('pepper', 'client-secret', hash)).toBe(true);
  expect(await isKeyedHash('pepper', 'client-secreT', hash)).toBe(false);
  expect(await isKeyedHash('salt', 'client-secret', hash)).toBe(false);
});

it('keyedHash refuses an empty client secret, and isKeyedHash matches none @spec D1-2.1', async () => {
  await expect(keyedHash('pepper', '')).rejects.toEqual(new CryptoRefusal('secret'));
  expect(await isKeyedHash('pepper', '', createHmac('sha256', 'pepper').update('').digest('hex'))).toBe(false);
});

describe('timestamped webhook signatures @gap D1-6.4', () => {
  const body = new TextEncoder().encode('{"a":1}');
  const at = new Date('2026-11-15T12:00:00.000Z');

  it('contain one signature over time and body for each secret', async () => {
    const signatures = await signWebhookAt(['new', 'old'], body, at);

    expect(signatures).toMatch(/^t=1794744000,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    for (const secret of ['new', 'old']) expect(await webhookSignedAt(secret, body, signatures)).toEqual(at);
    expect(await webhookSignedAt('other', body, signatures)).toBeUndefined();
  });

  it('are rejected with another time or another body', async () => {
    const signatures = await signWebhookAt(['new'], body, at);

    expect(await webhookSignedAt('new', body, signatures.replace('t=1794744000', 't=1794744001'))).toBeUndefined();
    expect(await webhookSignedAt('new', new TextEncoder().encode('{"a":2}'), signatures)).toBeUndefined();
  });

  it.each([undefined, null, '', 't=', 'v1=00', 't=1794744000', `t=x,v1=${'0'.repeat(64)}`])(
    'are rejected in the header value %s',
    async (signatures) => {
      expect(await webhookSignedAt('new', body, signatures)).toBeUndefined();
    },
  );
});

it.each(['', 'x'.repeat(70_000)])('signWebhook and isWebhookSignature agree on short and long bodies', async (text) => {
  const body = new TextEncoder().encode(text);
  expect(await isWebhookSignature('secret', body, await signWebhook('secret', body))).toBe(true);
});
