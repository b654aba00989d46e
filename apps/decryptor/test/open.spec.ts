import { OPEN_PAYLOAD, OPEN_VALUE, OPEN_VALUES, READ_SERVICE_KEY, UNWRAP_KEY, type Sealed } from '@codase/contracts';
import { takeApart, verifiedHash } from '@codase/crypto';
import type { Bus } from '@codase/runtime/bus';
import { Suite } from './suite.ts';

const SHOP = { service: 'shop' };

describe('decryptor @spec D1-2.3', () => {
  let suite: Suite;
  let shop: Bus;
  beforeAll(async () => {
    suite = await Suite.open();
    shop = await suite.as('shop-backend');
  });
  afterAll(() => suite?.close());

  it('decrypts a value for the service it was sealed to', async () => {
    const value = await suite.seals('shop', 'Änglagård 1, 東京 🦊');

    expect(await shop.request(OPEN_VALUE, SHOP, { value })).toEqual({ plaintext: 'Änglagård 1, 東京 🦊', attested: null });
  });

  it('says whether the plaintext is the verified one @spec D1-2.7', async () => {
    const value = await suite.seals('shop', '1990-04-01');
    const verification = { verified_salt: 'pepper', verified_hash: await verifiedHash('pepper', '1990-04-01') };
    const open = (by: typeof verification) => shop.request(OPEN_VALUE, SHOP, { value, verification: by });

    expect(await open(verification)).toMatchObject({ attested: true });
    expect(await open({ ...verification, verified_salt: 'salt' })).toMatchObject({ plaintext: '1990-04-01', attested: false });
  });

  it('reads the plaintext by its field type, and says which rule it breaks @spec D1-2.5', async () => {
    const address = { street: 'Storgatan 1', city: 'Malmö', country: 'SE' };
    const read = async (field_type: string, plaintext: string) =>
      shop.request(OPEN_VALUE, SHOP, { value: await suite.seals('shop', plaintext), field_type });

    expect(await read('address', JSON.stringify(address))).toMatchObject({ value: address });
    expect(await read('personal_number', '19900401')).toMatchObject({ value: '19900401' });
    const misfit = { code: 'not_a_date', path: '', message: expect.any(String) };
    expect(await read('date', '1 April 1990')).toEqual({ plaintext: '1 April 1990', attested: null, misfit });
    expect(await read('address', '{"street":')).toMatchObject({ misfit: { code: 'not_an_object' } });
  });

  it('decrypts a batch in order, and one bad value leaves the others intact', async () => {
    const sealed = [await suite.seals('shop', 'first'), await suite.seals('desk', 'foreign'), await suite.seals('shop', 'last')];

    const { items } = await shop.request(OPEN_VALUES, SHOP, { values: sealed.map((value) => ({ value })) });

    const [first, last] = ['first', 'last'].map((plaintext) => ({ plaintext, attested: null }));
    expect(items).toEqual([first, { error_key: 'decryptor.unreadable' }, last]);
  });

  it('refuses a value that is sealed to another key, tampered with, not a wrapper, or too long', async () => {
    const value = await suite.seals('shop', 'mine');
    const { d, ...rest } = JSON.parse(value) as Record<string, string>;
    const tampered = JSON.stringify({ ...rest, d: `${d![0] === 'A' ? 'B' : 'A'}${d!.slice(1)}` }) as Sealed;
    const open = (sealed: string) => shop.request(OPEN_VALUE, SHOP, { value: sealed as Sealed });

    await expect(open(await suite.seals('desk', 'theirs'))).rejects.toMatchObject({ key: 'decryptor.unreadable', status: 422 });
    await expect(open(tampered)).rejects.toMatchObject({ key: 'decryptor.unreadable' });
    await expect(open('garbage')).rejects.toMatchObject({ key: 'request.invalid' });
    await expect(open(await suite.seals('shop', 'x'.repeat(200 * 1024)))).rejects.toMatchObject({ key: 'request.invalid' });
  });

  it('unwraps the key of a value that is longer than a bus message @gap D1-2.8', async () => {
    const file = 'x'.repeat(3 * 1024 * 1024);
    const { wrapped_key, openWith } = await takeApart(await suite.seals('shop', file));

    const { value_key } = await shop.request(UNWRAP_KEY, SHOP, { wrapped_key });

    expect(await openWith(value_key)).toBe(file);
  });

  it('returns a useless key, not an error, for a wrapped key of another service @gap D1-2.8', async () => {
    const { wrapped_key, openWith } = await takeApart(await suite.seals('desk', 'theirs'));

    const { value_key } = await shop.request(UNWRAP_KEY, SHOP, { wrapped_key });

    await expect(openWith(value_key)).rejects.toMatchObject({ name: 'CryptoRefusal' });
    await expect(shop.request(UNWRAP_KEY, SHOP, { wrapped_key: 'garbage' })).rejects.toMatchObject({ key: 'request.invalid' });
  });

  it('gives flows the public key and the values of the service whose flows it plays, and of no other @spec D2-2.3', async () => {
    const flows = await suite.as('flows');
    const value = await suite.seals('desk', 'x');
    const { wrapped_key } = await takeApart(value);
    const desk = { service: 'desk' };
    const refused = { key: 'auth.client_endpoint_forbidden' };

    expect(await flows.request(READ_SERVICE_KEY, SHOP, {})).toEqual({ public_key: suite.keys.shop.public_key });
    await expect(flows.request(READ_SERVICE_KEY, desk, {})).rejects.toMatchObject(refused);
    await expect(flows.request(OPEN_VALUES, desk, { values: [{ value }] })).rejects.toMatchObject(refused);
    await expect(flows.request(UNWRAP_KEY, desk, { wrapped_key })).rejects.toMatchObject(refused);
  });

  it('refuses a batch whose plaintext is longer than a bus message', async () => {
    const long = await suite.seals('shop', '\u0001'.repeat(150 * 1024)); // JSON writes each character as six

    const pending = shop.request(OPEN_VALUES, SHOP, { values: [{ value: long }, { value: long }] });

    await expect(pending).rejects.toMatchObject({ key: 'request.too_large', message: expect.stringContaining('less at once') });
  });

  it("decrypts a webhook's envelope for the feed consumer, but no value @spec D1-6.4", async () => {
    const feed = await suite.as('feed-consumer');
    const envelope = await suite.wraps('<event/>');
    const value = await suite.seals('shop', 'x');

    expect(await feed.request(OPEN_PAYLOAD, SHOP, { envelope })).toEqual({ payload: '<event/>' });
    await expect(feed.request(OPEN_PAYLOAD, SHOP, { envelope: value })).rejects.toMatchObject({ key: 'decryptor.unreadable' });
    await expect(feed.request(OPEN_VALUE, SHOP, { value })).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden' });
    const { wrapped_key } = await takeApart(value);
    await expect(feed.request(UNWRAP_KEY, SHOP, { wrapped_key })).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden' });
  });

  it('answers 300 simultaneous requests', async () => {
    const value = await suite.seals('shop', 'one of many');
    const pending = Array.from({ length: 300 }, () => shop.request(OPEN_VALUE, SHOP, { value }, { timeout: 60_000 }));

    const answers = await Promise.all(pending);

    expect(answers.filter(({ plaintext }) => plaintext === 'one of many')).toHaveLength(300);
  });
});

describe('a decryptor at its capacity', () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await Suite.open({ QUEUE_VALUES: '200' });
  });
  afterAll(() => suite?.close());

  it('refuses what it cannot do in time, and accepts requests when there is room again', async () => {
    const shop = await suite.as('shop-backend');
    const value = await suite.seals('shop', 'patience');
    const batch = { values: Array.from({ length: 200 }, () => ({ value })) };

    const much = shop.request(OPEN_VALUES, SHOP, batch, { timeout: 30_000 });
    const [done, refused] = await Promise.allSettled([much, shop.request(OPEN_VALUE, SHOP, { value })]);

    const reason = { key: 'service.unavailable', retryAfter: 1, message: expect.stringContaining('at capacity') };
    expect(refused).toMatchObject({ reason });
    expect(done).toMatchObject({ status: 'fulfilled', value: { items: batch.values.map(() => ({ plaintext: 'patience' })) } });
    expect(await shop.request(OPEN_VALUE, SHOP, { value })).toMatchObject({ plaintext: 'patience' });
  });
});
