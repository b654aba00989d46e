import { setTimeout as pause } from 'node:timers/promises';
import { at, OPEN_VALUE, OPEN_VALUES, UNWRAP_KEY } from '@codase/contracts';
import { takeApart } from '@codase/crypto';
import type { Bus } from '@codase/runtime/bus';
import { CALLERS, Suite } from './suite.ts';

const SHOP = { service: 'shop' };

describe('callers of the decryptor', () => {
  let suite: Suite;
  let nosy: Bus;
  let secret: string;
  beforeAll(async () => {
    suite = await Suite.open({ CALLERS: JSON.stringify({ ...CALLERS, 'desk-backend': { values: ['desk'], per_minute: 200 } }) });
    nosy = await suite.as('nosy');
    secret = JSON.stringify({ value: await suite.seals('shop', 'for the shop alone') });
  });
  afterAll(() => suite?.close());

  const ask = (user: Bus, service: string) => suite.seals('shop', 'x').then((value) => user.request(OPEN_VALUE, { service }, { value }));

  it('are kept from the keys of other services by their rights on the bus', async () => {
    await expect(ask(await suite.as('desk-backend'), 'shop')).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden' });
  });

  it('are refused by the decryptor when the bus would let them pass, whether the service exists or not', async () => {
    await expect(ask(nosy, 'shop')).rejects.toMatchObject({ key: 'decryptor.caller_refused', status: 403 });
    await expect(ask(nosy, 'no-such-service')).rejects.toMatchObject({ key: 'decryptor.caller_refused' });
    const { wrapped_key } = await takeApart(await suite.seals('shop', 'x'));
    await expect(nosy.request(UNWRAP_KEY, SHOP, { wrapped_key })).rejects.toMatchObject({ key: 'decryptor.caller_refused' });
  });

  it('are refused when they are the operator of the bus, who may say everything', async () => {
    const operator = await suite.as('suite-operator');

    await expect(ask(operator, 'shop')).rejects.toMatchObject({ key: 'decryptor.caller_refused' });
    expect(suite.lines.join('')).not.toContain('for the shop alone');
  });

  it('are logged with service, number of values and outcome of each request', async () => {
    suite.lines.length = 0;
    const shop = await suite.as('shop-backend');
    await ask(shop, 'shop');
    await expect(ask(nosy, 'shop')).rejects.toMatchObject({ key: 'decryptor.caller_refused' });

    const lines = suite.lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ message }) => String(message).endsWith('opened'));
    expect(lines).toEqual([
      expect.objectContaining({ message: 'opened', 'codase.caller': 'shop-backend', 'codase.service': 'shop', 'codase.count': 1 }),
      expect.objectContaining({
        message: 'not opened',
        'codase.caller': 'nosy',
        'codase.count': 1,
        'codase.error_key': 'decryptor.caller_refused',
      }),
    ]);
  });

  it('cannot redirect the answer to a subject outside their inbox', async () => {
    const heard: string[] = [];
    nosy.connection.subscribe('elsewhere.>', { callback: (_, message) => void heard.push(message.string()) });

    nosy.connection.publish(at(OPEN_VALUE, SHOP), secret, { reply: 'elsewhere.here' });
    await nosy.connection.flush();
    await pause(300);

    expect(heard).toEqual([]);
    expect(suite.lines.join('')).toContain('its answer would go to no inbox');
  });

  it('cannot receive an answer through the forged inbox of an authorized user', async () => {
    const shop = await suite.as('shop-backend');
    const heard: string[] = [];
    shop.connection.subscribe('_INBOX_shop-backend.forged', { callback: (_, message) => void heard.push(message.string()) });
    await shop.connection.flush();
    const listening = new Promise((resolve) => void nosy.connection.subscribe('_INBOX_shop-backend.>', { callback: resolve }));

    nosy.connection.publish(at(OPEN_VALUE, SHOP), secret, { reply: '_INBOX_shop-backend.forged' });

    expect(await listening).toMatchObject({ name: 'PermissionViolationError' });
    await pause(300);
    expect(heard).toEqual([]);
  });

  it('are reported when they decrypt in bulk, and refused over their own limit', async () => {
    const desk = await suite.as('desk-backend');
    const value = await suite.seals('desk', 'one of very many');
    const values = Array.from({ length: 150 }, () => ({ value }));
    await desk.request(OPEN_VALUES, { service: 'desk' }, { values }, { timeout: 30_000 });

    await expect(desk.request(OPEN_VALUES, { service: 'desk' }, { values })).rejects.toMatchObject({
      key: 'rate_limit.exceeded',
      status: 429,
    });

    const [alert, ...more] = suite.lines.filter((line) => line.includes('a caller opens values in bulk'));
    expect(JSON.parse(alert!)).toMatchObject({ level: 'warn', 'codase.caller': 'desk-backend', 'codase.count': 150 });
    expect(more).toEqual([]);
    expect(await ask(await suite.as('shop-backend'), 'shop')).toMatchObject({ plaintext: 'x' });
  });

  it('get 404 when there is no key of a service that they may read', async () => {
    await expect(ask(await suite.as('shop-backend'), 'annex')).rejects.toMatchObject({ key: 'decryptor.key_unknown', status: 404 });
  });
});
