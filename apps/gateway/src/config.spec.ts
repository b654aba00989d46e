import { RATE_LIMITS } from '@codase/contracts';
import { readConfig } from '@codase/runtime/config';
import { Config, settingsOf } from './config.ts';

const CLIENT = { client_id: 'svc_1', client_secret: 's' };
const ENV = {
  OPS_PORT: '0',
  NATS_URL: 'nats://127.0.0.1:4222',
  FRONT_DOOR_URL: 'http://127.0.0.1:1',
  SERVICES: JSON.stringify({ shop: CLIENT }),
};

describe('configuration of the gateway', () => {
  it("requires the front door and credentials, and has the platform's usual limits by default", () => {
    const { clients, credentials, http, limits, queue } = settingsOf(readConfig(Config, ENV));

    expect(clients.get('shop')).toEqual({ name: 'shop', kind: 'service' });
    expect(credentials.service.current).toEqual({ shop: CLIENT });
    expect({ http, limits, queue }).toEqual({ http: undefined, limits: RATE_LIMITS, queue: 2000 });
  });

  it('accepts accounts, an HTTP server with its callers, API hosts and other limits', () => {
    const callers = { backend: { token: 't'.repeat(32), may: ['acme'] } };
    const reported = {
      ACCOUNTS: JSON.stringify({ acme: CLIENT }),
      PORT: '8080',
      API_HOSTS: 'EU.example.org, *.regions.example',
      CALLERS: JSON.stringify(callers),
      RATE_LIMITS: '{"data":{"burst":50,"per_second":10}}',
    };
    const settings = settingsOf(readConfig(Config, { ...ENV, ...reported }));

    expect(settings.clients.get('acme')).toMatchObject({ kind: 'account' });
    expect(settings.http).toEqual({ host: '127.0.0.1', port: 8080 });
    expect(settings.hosts.faultOf('https://us.regions.example')).toBeUndefined();
    expect(settings.callers).toEqual(callers);
    expect(settings.limits).toEqual({ ...RATE_LIMITS, data: { burst: 50, per_second: 10 } });
  });

  it.each([
    ['with a secret and a key', { ...CLIENT, private_key: 'a secret text' }],
    ['with a key that is none', { client_id: 'svc_1', private_key: 'a secret text' }],
    ['without both', { client_id: 'svc_1' }],
  ])('refuses a client %s, and does not quote it', (_, client) => {
    const reads = () => readConfig(Config, { ...ENV, SERVICES: JSON.stringify({ shop: client }) });

    expect(reads).toThrow(/SERVICES: /);
    expect(reads).not.toThrow(/a secret text/);
  });

  it('reports what is wrong with each setting', () => {
    const faulty = () =>
      readConfig(Config, {
        ...ENV,
        SERVICES: '{"no spaces": {}}',
        CALLERS: '{"backend":{"token":"short","may":[]}}',
        RATE_LIMITS: '{"data":{"burst":0,"per_second":1}}',
        API_HOSTS: 'eu.example.org, https://us.example.org',
      });

    expect(faulty).toThrow(/SERVICES/);
    expect(faulty).toThrow(/CALLERS: tokens of 32 characters or more/);
    expect(faulty).toThrow(/RATE_LIMITS/);
    expect(faulty).toThrow(/API_HOSTS: hosts without scheme or port/);
    expect(() => readConfig(Config, { ...ENV, ACCOUNTS: ENV.SERVICES })).toThrow(/ACCOUNTS: names that no service has/);
  });
});
