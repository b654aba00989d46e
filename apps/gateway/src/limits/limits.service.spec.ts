import { readConfig } from '@codase/runtime/config';
import { settingsOf, Config } from '../config.ts';
import { Deadline } from '../routing/deadline.ts';
import { LimitsService } from './limits.service.ts';

const ENV = {
  OPS_PORT: '0',
  NATS_URL: 'nats://127.0.0.1:4222',
  FRONT_DOOR_URL: 'http://127.0.0.1:1',
  SERVICES: '{"shop":{"client_id":"svc_1","client_secret":"s"}}',
  RATE_LIMITS: '{"data":{"burst":20,"per_second":0.01}}',
};

describe('rate limits of a gateway', () => {
  const limits = new LimitsService(settingsOf(readConfig(Config, ENV)), new AbortController().signal);
  const goAtOnce = async (client: string) => {
    const calls = Array.from({ length: 30 }, () => limits.limiterOf(client, 'data').run('a', new Deadline(1000), async () => undefined));
    return (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length;
  };

  it("are the platform's whole bucket while it is the only replica", async () => {
    expect(await goAtOnce('alone')).toBe(20);
  });

  it('are its share of the bucket beside other replicas, for known and for new clients', async () => {
    limits.limiterOf('known', 'data');
    limits.divideAmong(2);

    expect([await goAtOnce('known'), await goAtOnce('new')]).toEqual([10, 10]);
  });
});
