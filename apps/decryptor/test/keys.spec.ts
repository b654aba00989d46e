import { setTimeout as pause } from 'node:timers/promises';
import { OPEN_VALUE } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { comesTrue } from '@codase/testing/eventually';
import { Suite } from './suite.ts';

const DESK = { service: 'desk' };

describe('key files of the decryptor', () => {
  let suite: Suite;
  let desk: Bus;
  beforeEach(async () => {
    suite = await Suite.open();
    desk = await suite.as('desk-backend');
  });
  afterEach(() => suite?.close());

  const opens = async (sealedTo: 'shop' | 'desk') => {
    const value = await suite.seals(sealedTo, 'hello');
    return desk.request(OPEN_VALUE, DESK, { value }).then(
      ({ plaintext }) => plaintext,
      (refusal: { key: string }) => refusal.key,
    );
  };
  const eventually = (wanted: unknown, read: () => unknown) => comesTrue(async () => expect(await read()).toBe(wanted));
  const keysCheck = async () => (await suite.readiness()).checks['keys'];

  it('are reloaded when one is removed, added again or replaced', async () => {
    expect(await opens('desk')).toBe('hello');

    await suite.unmount('desk');
    await eventually('decryptor.key_unknown', () => opens('desk'));

    await suite.mount('desk', suite.keys.desk);
    await eventually('hello', () => opens('desk'));

    await suite.mount('desk', suite.keys.shop);
    await eventually('hello', () => opens('shop'));
    expect(await opens('desk')).toBe('decryptor.unreadable');
  });

  it('keep the old key in use when its replacement cannot be used, and readiness reports the fault', async () => {
    expect(await keysCheck()).toBe('ok');

    await suite.mount('desk', { passphrase: 'a wrong passphrase' });
    await suite.mount('orphan', { pem: suite.keys.shop.pem });
    await suite.mount('rubbish', { pem: 'not a key', passphrase: 'x' });
    await suite.mount('endless', { pem: 'A'.repeat(100_000), passphrase: 'x' });
    await suite.mount('a b', { pem: 'x', passphrase: 'x' });
    const reported = ['desk.pem', 'orphan.pem', 'rubbish.pem', 'endless.pem', 'a b.pem'];
    await eventually(true, async () => {
      const check = (await keysCheck())!;
      return reported.every((file) => check.includes(file));
    });

    expect(await suite.readiness()).toMatchObject({ ready: true });
    expect(await keysCheck()).toMatch(/^ok, but .*desk\.pem: .*check the passphrase.*orphan\.passphrase/);
    expect(await keysCheck()).toMatch(/endless\.pem: it is too long/);
    expect(await keysCheck()).toMatch(/a b\.pem: a service is named with letters/);
    expect(suite.lines.join('')).toContain('key file cannot be used');
    expect(suite.lines.join('')).not.toContain('a wrong passphrase');
    expect(await opens('desk')).toBe('hello');

    await suite.mount('desk', suite.keys.desk);
    for (const name of ['orphan', 'rubbish', 'endless', 'a b']) await suite.unmount(name);
    await eventually('ok', keysCheck);
  });

  it('make the decryptor not ready when all are removed, and readiness says what to do', async () => {
    for (const name of ['shop', 'desk', 'account']) await suite.unmount(name);
    await eventually('no key of any service: add NAME.pem to KEYS_DIR and NAME.passphrase to PASSPHRASES_DIR', keysCheck);

    expect(await suite.readiness()).toMatchObject({ ready: false });
  });
});

describe('a missing key folder', () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await Suite.open({ KEYS_DIR: '/no/such/folder' });
  });
  afterAll(() => suite?.close());

  it('leaves the decryptor running but not ready', async () => {
    await pause(200);

    expect(await suite.readiness()).toMatchObject({ ready: false, checks: { keys: 'KEYS_DIR: cannot be read (ENOENT)' } });
    expect(suite.lines.filter((line) => line.includes('folder of the keys cannot be read'))).toHaveLength(1);
  });
});
