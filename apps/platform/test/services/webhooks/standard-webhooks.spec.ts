import { createHmac, createPublicKey, randomBytes, verify } from 'node:crypto';
import { jest } from '@jest/globals';
import { webhooks, type Output } from '@codase/contracts';
import { verifyStandardWebhook } from '@codase/crypto';
import { WebhookReceiver, type Delivery } from '@codase/testing';
import { Webhook } from 'standardwebhooks';
import { emit } from '../../../src/services/feed/index.ts';
import { writeIfHome } from '../../../src/foundation/regions/index.ts';
import { MovingWorld } from '../../support/moving-world.ts';
import { DeliveryWorld, eventOf } from './delivery-world.ts';

type KeySet = Output<typeof webhooks.webhookKeys>;

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const headersOf = ({ headers }: Delivery) => ({
  'webhook-id': headers['webhook-id'] as string,
  'webhook-timestamp': headers['webhook-timestamp'] as string,
  'webhook-signature': headers['webhook-signature'] as string,
});
const signaturesOf = (delivery: Delivery, version: string) =>
  String(delivery.headers['webhook-signature'])
    .split(' ')
    .filter((one) => one.startsWith(`${version},`))
    .map((one) => Buffer.from(one.slice(version.length + 1), 'base64'));

/** Verifies `v1` with the package of Standard Webhooks, by the machine's clock. */
const verifiedByPackage = (secret: string, delivery: Delivery) => {
  new Webhook(secret).verify(delivery.body.toString('utf8'), headersOf(delivery));
  return true;
};

/** Returns the ids of the published keys that verify a `v1a` signature of the delivery, with the cryptography of Node alone. */
function signersOf(delivery: Delivery, { keys }: KeySet): string[] {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headersOf(delivery);
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), delivery.body]);
  const isBy = (key: KeySet['keys'][number]) =>
    signaturesOf(delivery, 'v1a').some((signature) =>
      verify(null, content, createPublicKey({ key: { kty: key.kty, crv: key.crv, x: key.x }, format: 'jwk' }), signature),
    );
  return keys.filter(isBy).map(({ region }) => region);
}

describe('deliveries by Standard Webhooks @gap D1-6.4', () => {
  let world: DeliveryWorld;
  let keys: KeySet;
  beforeAll(async () => {
    world = await DeliveryWorld.open({ processes: ['delivery'] });
    keys = await world.world.stranger.asks(webhooks.webhookKeys, {}, { at: world.world.frontDoorUrl });
  });
  afterAll(() => world?.close());
  afterEach(() => world.removeHooks());

  it('have the keys of all regions published at every base, as JWK and as whpk_', async () => {
    expect(keys.keys.map(({ region }) => region)).toEqual(['eu', 'us']);
    for (const { x, whpk } of keys.keys) expect(whpk).toBe(`whpk_${Buffer.from(x, 'base64url').toString('base64')}`);
    expect(await world.world.stranger.asks(webhooks.webhookKeys, {}, { at: world.world.regionUrl('eu') })).toEqual(keys);
  });

  it('are left out unless the webhook asks for them', async () => {
    const { receiver } = await world.hooked();
    await world.connect('user_1');

    const { headers } = await receiver.next();
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  });

  it("are verified by the package with a whsec_ secret, and with the region's key, beside the headers of the platform", async () => {
    const secret = newSecret();
    const { receiver, hook } = await world.hooked({ standard_webhooks: true, hmac_secret: secret });
    await world.connect('user_1');

    const delivery = await receiver.next();
    expect(verifiedByPackage(secret, delivery)).toBe(true);
    expect(() => verifiedByPackage(newSecret(), delivery)).toThrow('No matching signature');
    expect(signersOf(delivery, keys)).toEqual(['eu']);
    expect(delivery.headers['x-platform-signature']).toBe(createHmac('sha256', secret).update(delivery.body).digest('hex'));
    expect(hook.standard_webhooks).toBe(true);
  });

  it('are verified with the secret that is generated, and by our own function', async () => {
    const { receiver, hook } = await world.hooked({ standard_webhooks: true });
    await world.connect('user_1');

    const delivery = await receiver.next();
    expect(verifiedByPackage(hook.hmac_secret_once!, delivery)).toBe(true);
    const [id, timestamp, signature] = Object.values(headersOf(delivery));
    const checks = (webhook_id: string) =>
      verifyStandardWebhook({
        webhook_id,
        headers: { id, timestamp, signature },
        body: delivery.body,
        keys: keys.keys.map(({ whpk }) => whpk),
      });
    expect(await checks(hook.id)).toEqual({ event_id: expect.stringMatching(/^evt_/), signed_at: expect.any(Date) });
    expect(await checks('wh_of_another_company')).toBeUndefined();
  });

  it.each<[string, Parameters<DeliveryWorld['hooked']>[0]]>([
    ['an encrypted payload', { encrypt_payload: true }],
    ['XML', { format: 'xml' }],
    ['another authentication', { auth_type: 'bearer', auth_token: 'our-token' }],
    ['no authentication', { auth_type: 'none' }],
  ])('are signed with %s', async (_, config) => {
    const { receiver } = await world.hooked({ ...config, standard_webhooks: true });
    await world.connect('user_1');

    expect(signersOf(await receiver.next(), keys)).toEqual(['eu']);
  });

  it('have only v1a when the secret is not one of Standard Webhooks', async () => {
    const { receiver } = await world.hooked({ standard_webhooks: true, hmac_secret: 'a secret of ours' });
    await world.connect('user_1');

    const delivery = await receiver.next();
    expect(signaturesOf(delivery, 'v1')).toEqual([]);
    expect(signersOf(delivery, keys)).toEqual(['eu']);
  });

  it('are verified with the old and with the new secret while it is replaced', async () => {
    const [old, fresh] = [newSecret(), newSecret()];
    const { receiver, hook } = await world.hooked({ standard_webhooks: true, hmac_secret: old });
    await world.change(hook, { url: receiver.url, standard_webhooks: true, hmac_secret: fresh });
    await world.connect('user_1');

    const delivery = await receiver.next();
    expect([old, fresh].map((secret) => verifiedByPackage(secret, delivery))).toEqual([true, true]);
  });

  it('are signed when they are made up for a test', async () => {
    const { receiver, hook } = await world.hooked({ standard_webhooks: true });

    expect(await world.tests(hook)).toMatchObject({ delivered: true });
    expect(signersOf(await receiver.next(), keys)).toEqual(['eu']);
  });

  it('have the same id, and another time and signature, when a killed delivery is repeated', async () => {
    const { receiver, hook } = await world.hooked({ standard_webhooks: true });
    receiver.answerNext('hang');
    await world.connect('user_1');
    const first = await receiver.next();

    await world.world.kill('delivery');
    await world.world.comesBack('delivery');
    const second = await receiver.next();

    expect(eventOf(second).person_user_id).toBe('user_1');
    expect(headersOf(second)['webhook-id']).toBe(headersOf(first)['webhook-id']);
    expect(headersOf(second)['webhook-id']).toMatch(new RegExp(`^${hook.id}:evt_`));
    for (const delivery of [first, second]) expect(signersOf(delivery, keys)).toEqual(['eu']);
    expect(verifiedByPackage(hook.hmac_secret_once!, second)).toBe(true);
  });

  it.each([{ hmac_secret: 'whsec_1' }, { auth_type: 'header' as const, auth_header_name: 'webhook-id', auth_header_value: 'ours' }])(
    'are refused for the configuration %j',
    async (config) => {
      await expect(world.hooked({ ...config, standard_webhooks: true })).rejects.toMatchObject({ key: 'services.webhook_auth_invalid' });
    },
  );
});

describe('deliveries by Standard Webhooks of a company that moves @gap D1-5.6 @gap D1-6.4', () => {
  let moving: MovingWorld;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    moving = await MovingWorld.open({ units: ['front-door', 'region-eu', 'region-us', 'delivery'] });
    receiver = await WebhookReceiver.open();
  });
  afterAll(async () => {
    await receiver?.close();
    await moving?.close();
  });

  it('are signed by the new region, with the same secret', async () => {
    const secret = newSecret();
    const keys = await moving.world.stranger.asks(webhooks.webhookKeys, {}, { at: moving.world.frontDoorUrl });
    const company = await moving.world.signsUp({ type: 'company', region: 'eu', level: 'basic' });
    const { id: service_id } = await moving.creates(company, 'Shop');
    const body = { url: receiver.url, standard_webhooks: true, hmac_secret: secret };
    await company.asks(webhooks.createWebhook, { params: { id: service_id }, body });
    const happensIn = (region: 'eu' | 'us', person_user_id: string) =>
      writeIfHome(moving.internals.database(`region_${region}`), company.user_id, (tx) =>
        emit(tx, [
          {
            company_user_id: company.user_id,
            service_id,
            event: { event: 'connection_created', person_user_id, share_code: null, at: '2026-11-15T00:00:00Z', customer_type: 'person' },
          },
        ]),
      );

    await happensIn('eu', 'user_1');
    const before = await receiver.next();
    await moving.moves(company, 'us');
    await moving.arrives(company);
    await happensIn('us', 'user_2');
    const after = await receiver.next();

    expect([before, after].map((delivery) => signersOf(delivery, keys))).toEqual([['eu'], ['us']]);
    const at = Number(headersOf(after)['webhook-timestamp']) * 1000; // the clock of the world has moved on, and the package asks Date
    const date = jest.spyOn(Date, 'now').mockReturnValue(at);
    try {
      expect(verifiedByPackage(secret, after)).toBe(true);
    } finally {
      date.mockRestore();
    }
  });
});
