import { readConfig } from '@codase/runtime/config';
import { Config, namesOf } from './config.ts';

const GIVEN = { OPS_PORT: '0', NATS_URL: 'nats://127.0.0.1:4222', DATABASE_URL: 'postgres://u@127.0.0.1:5432/feed' };
const read = (more: Record<string, string> = {}) => readConfig(Config, { ...GIVEN, ...more });
const webhook = (auth: object) => JSON.stringify({ shop: { mode: 'webhook', webhook_id: 'whk_1', auth } });

describe('configuration of the feed consumer', () => {
  it('has no channels and the default settings unless others are given', () => {
    expect(read()).toMatchObject({ CHANNELS: {}, LEASE_SECONDS: 30, IDLE_SECONDS: 5, KEPT_DAYS: 7 });
  });

  it('sorts each channel into pull or webhook by its mode', () => {
    const given = { shop: { mode: 'pull' }, desk: { mode: 'webhook', webhook_id: 'whk_1', auth: { auth_type: 'none' } } };
    const { CHANNELS } = read({ CHANNELS: JSON.stringify(given) });

    expect([namesOf(CHANNELS, 'pull'), namesOf(CHANNELS, 'webhook')]).toEqual([['shop'], ['desk']]);
  });

  it.each([
    ['no JSON', '{'],
    ['a mode there is not', JSON.stringify({ shop: { mode: 'push' } })],
    ['a name with a dot', JSON.stringify({ 'shop.eu': { mode: 'pull' } })],
    ['a secret too few', webhook({ auth_type: 'basic', auth_username: 'u' })],
    ['a user name that a colon would cut', webhook({ auth_type: 'basic', auth_username: 'u:p', auth_password: 'p' })],
    ['an empty secret', webhook({ auth_type: 'hmac', hmac_secret: '' })],
  ])('rejects %s in CHANNELS, without printing the value', (_, CHANNELS) => {
    expect(() => read({ CHANNELS })).toThrow(/^The configuration has .*\n +- CHANNELS: /);
  });
});
