import { OPEN_ACCOUNT_VALUES, OPEN_BATCH_VALUES, OPEN_PAYLOAD, OPEN_VALUE, UNWRAP_ACCOUNT_VALUE, type Sealed } from '@codase/contracts';
import { takeApart } from '@codase/crypto';
import type { Bus } from '@codase/runtime/bus';
import { collectTelemetry, Marks } from '@codase/testing';
import { comesTrue } from '@codase/testing/eventually';
import { CALLERS, Suite } from './suite.ts';

const { measured } = collectTelemetry();
const UNREADABLE = { error_key: 'decryptor.unreadable' };

/** Has values opened with the account key. */
const open = async (bus: Bus, ...values: object[]) =>
  (await bus.request(OPEN_ACCOUNT_VALUES, {}, { values: values as { value: Sealed }[] }, { timeout: 30_000 })).items;

describe('values sealed to the account key @spec D1-2.3 @gap D1-4.6', () => {
  let suite: Suite;
  let page: Bus;
  beforeAll(async () => {
    suite = await Suite.open({ CALLERS: JSON.stringify({ ...CALLERS, 'sign-in-page': { account: true, per_minute: 400 } }) });
    page = await suite.as('sign-in-page');
  });
  afterAll(() => suite?.close());

  it('are decrypted in order and read by their types, and one that does not decrypt leaves the others intact', async () => {
    const [email, date] = [await suite.seals('account', 'ana@example.org'), await suite.seals('account', '1 April')];

    const items = await open(
      page,
      { value: email, field_type: 'email' },
      { value: await suite.seals('shop', 'of the shop') },
      { value: date, field_type: 'date' },
    );

    const misfit = { code: 'not_a_date', path: '', message: expect.any(String) };
    expect(items).toEqual([
      { plaintext: 'ana@example.org', attested: null, value: 'ana@example.org' },
      UNREADABLE,
      { plaintext: '1 April', attested: null, misfit },
    ]);
  });

  it('are decrypted with their unwrapped key when they are longer than a bus message @gap D1-2.8', async () => {
    const text = 'x'.repeat(3 * 1024 * 1024);
    const { wrapped_key, openWith } = await takeApart(await suite.seals('account', text));

    const { value_key } = await page.request(UNWRAP_ACCOUNT_VALUE, {}, { wrapped_key });

    expect(await openWith(value_key)).toBe(text);
    const foreign = await takeApart(await suite.seals('shop', text));
    const { value_key: another } = await page.request(UNWRAP_ACCOUNT_VALUE, {}, { wrapped_key: foreign.wrapped_key });
    await expect(foreign.openWith(another)).rejects.toMatchObject({ name: 'CryptoRefusal' });
  });

  it('are not accepted as webhook envelopes, although both use the same key', async () => {
    const envelope = await suite.wraps('<event/>');
    const feed = await suite.as('feed-consumer');

    expect(await open(page, { value: envelope })).toEqual([UNREADABLE]);
    expect(await feed.request(OPEN_PAYLOAD, { service: 'shop' }, { envelope })).toEqual({ payload: '<event/>' });
    const value = await suite.seals('account', 'x');
    const pending = feed.request(OPEN_PAYLOAD, { service: 'shop' }, { envelope: value });
    await expect(pending).rejects.toMatchObject({ key: 'decryptor.unreadable' });
  });

  it('are refused when they are tampered with, not wrapped, or too many', async () => {
    const value = await suite.seals('account', 'mine');
    const { d, ...rest } = JSON.parse(value) as Record<string, string>;
    const tampered = JSON.stringify({ ...rest, d: `${d![0] === 'A' ? 'B' : 'A'}${d!.slice(1)}` });
    const refused = { key: 'request.invalid', status: 400 };

    expect(await open(page, { value: tampered })).toEqual([UNREADABLE]);
    await expect(open(page, { value: 'in the clear' })).rejects.toMatchObject(refused);
    await expect(open(page, { value, service: 'shop' })).rejects.toMatchObject(refused);
    await expect(open(page)).rejects.toMatchObject(refused);
    await expect(open(page, ...Array.from({ length: OPEN_BATCH_VALUES + 1 }, () => ({ value })))).rejects.toMatchObject(refused);
    await expect(page.request(UNWRAP_ACCOUNT_VALUE, {}, { wrapped_key: 'garbage' })).rejects.toMatchObject(refused);
  });

  it.each(['shop-backend', 'feed-consumer', 'flows'])('are refused to %s by the rights on the bus', async (user) => {
    const bus = await suite.as(user);
    const value = await suite.seals('account', 'x');
    const { wrapped_key } = await takeApart(value);

    await expect(open(bus, { value })).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden' });
    await expect(bus.request(UNWRAP_ACCOUNT_VALUE, {}, { wrapped_key })).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden' });
  });

  it('are refused by the decryptor to a caller without the account right, and the error names that right', async () => {
    const nosy = await suite.as('nosy');
    const value = await suite.seals('account', 'x');
    const refused = { key: 'decryptor.caller_refused', status: 403, message: expect.stringContaining('"account": true') };

    await expect(open(nosy, { value })).rejects.toMatchObject(refused);
    const { wrapped_key } = await takeApart(value);
    await expect(nosy.request(UNWRAP_ACCOUNT_VALUE, {}, { wrapped_key })).rejects.toMatchObject(refused);
  });

  it('are all that a caller with only the account right may decrypt', async () => {
    const value = await suite.seals('shop', 'x');

    for (const service of ['shop', 'account'])
      await expect(page.request(OPEN_VALUE, { service }, { value })).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden' });
  });

  it('are counted, limited and logged under the service name account, and their plaintext never appears', async () => {
    suite.lines.length = 0;
    const value = await suite.seals('account', 'tattletale');
    const before = opened(await measured());
    await open(page, { value });
    await expect(open(await suite.as('nosy'), { value })).rejects.toMatchObject({ key: 'decryptor.caller_refused' });
    const flood = Array.from({ length: OPEN_BATCH_VALUES }, () => ({ value }));
    await open(page, ...flood);
    const floods = async () => {
      for (;;) await open(page, ...flood);
    };
    await expect(floods()).rejects.toMatchObject({ key: 'rate_limit.exceeded', status: 429 });

    const said = suite.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const line = (message: string, caller: string, count: number, more: object = {}) =>
      expect.objectContaining({ message, 'codase.caller': caller, 'codase.service': 'account', 'codase.count': count, ...more });
    // A slow machine may ask once more, or begin another minute: then there are more lines of the same kinds.
    for (const wanted of [
      line('opened', 'sign-in-page', 1),
      line('not opened', 'nosy', 1, { 'codase.error_key': 'decryptor.caller_refused' }),
      line('opened', 'sign-in-page', OPEN_BATCH_VALUES),
      line('not opened', 'sign-in-page', OPEN_BATCH_VALUES, { 'codase.error_key': 'rate_limit.exceeded' }),
    ])
      expect(said).toContainEqual(wanted);
    const counts = said.filter(({ message }) => message === 'opened').map((one) => one['codase.count'] as number);
    expect(said).toContainEqual(expect.objectContaining({ message: 'a caller opens values in bulk', 'codase.caller': 'sign-in-page' }));
    expect(opened(await measured()) - before).toBe(counts.reduce((sum, n) => sum + n, 0));
    const marks = new Marks({ 'clear text': 'tattletale' });
    expect(marks.foundIn(suite.lines.join('') + JSON.stringify(await measured()))).toEqual([]);
  });
});

describe('account key', () => {
  let suite: Suite;
  let page: Bus;
  beforeAll(async () => {
    suite = await Suite.open();
    page = await suite.as('sign-in-page');
  });
  afterAll(() => suite?.close());

  const opens = async (value: Sealed) => {
    const [item] = await open(page, { value }).catch((refusal: { key: string; message: string }) => [refusal]);
    return item as { plaintext?: string; error_key?: string; key?: string; message?: string };
  };
  const eventually = (value: Sealed, wanted: object) => comesTrue(async () => expect(await opens(value)).toMatchObject(wanted));

  it('is reloaded when its file is replaced, for values and webhooks, and dropped when it is removed', async () => {
    const feed = await suite.as('feed-consumer');
    const [old, next] = [await suite.seals('account', 'old'), await suite.seals('desk', 'new')];
    const envelope = await suite.wraps('<old/>');
    expect(await opens(old)).toMatchObject({ plaintext: 'old' });

    await suite.mount('account', suite.keys.desk);
    await eventually(next, { plaintext: 'new' });
    expect(await opens(old)).toEqual(UNREADABLE);
    await expect(feed.request(OPEN_PAYLOAD, { service: 'shop' }, { envelope })).rejects.toMatchObject({ key: 'decryptor.unreadable' });

    await suite.unmount('account');
    await eventually(next, { key: 'decryptor.key_unknown', message: expect.stringContaining('account.pem') });
  });

  it('is enough to make a decryptor without other keys ready', async () => {
    for (const service of ['shop', 'desk']) await suite.unmount(service);
    await comesTrue(async () => expect(await suite.readiness()).toMatchObject({ ready: false }));

    await suite.mount('account', suite.keys.account);

    await comesTrue(async () => expect(await suite.readiness()).toMatchObject({ ready: true, checks: { keys: 'ok' } }));
    expect(await opens(await suite.seals('account', 'alone'))).toMatchObject({ plaintext: 'alone' });
  });
});

/** How many values of the account were opened. */
const opened = (measurements: readonly { name: string; value: unknown; attributes: object }[]): number =>
  measurements
    .filter(
      ({ name, attributes }) =>
        name === 'codase.decryptor.opened' && 'codase.service' in attributes && attributes['codase.service'] === 'account',
    )
    .reduce((sum, { value }) => sum + (value as number), 0);
