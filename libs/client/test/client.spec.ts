import { connect, type CdsClient } from '@cds/client';
import { companyData, operation, Refusal } from '@cds/contracts';
import { silentLog } from '@cds/runtime/telemetry';
import { TestBus } from '@cds/testing';

describe('an internal service', () => {
  let nats: TestBus;
  let client: CdsClient;
  beforeAll(async () => {
    nats = await TestBus.open();
    client = await connect({ ...nats.credentials, service: 'shop', log: silentLog });
  });
  afterAll(async () => {
    await client?.close();
    await nats?.close();
  });

  it('asks for its own service and gets the typed answer', async () => {
    const gateway = await nats.connect();
    const subscription = await gateway.answer(operation(companyData.whoami), {}, (_, { service }) => ({ company_user_id: 'acme', service_id: service }));

    expect(await client.request(companyData.whoami, {})).toEqual({ company_user_id: 'acme', service_id: 'shop' });
    await subscription.drain();
  });

  it('gets a refusal as a Refusal, with its key', async () => {
    const gateway = await nats.connect();
    const subscription = await gateway.answer(operation(companyData.whoami), {}, () => {
      throw new Refusal('db.writes_paused');
    });

    await expect(client.request(companyData.whoami, {})).rejects.toMatchObject({ key: 'db.writes_paused', status: 503, retryAfter: 30 });
    await subscription.drain();
  });

  it('waits as long as it says, and tells the gateway so', async () => {
    const gateway = await nats.connect();
    const within: unknown[] = [];
    const me = { company_user_id: 'acme', service_id: 'shop' };
    let answer = () => {};
    const late = new Promise<typeof me>((resolve) => (answer = () => resolve(me)));
    const subscription = await gateway.answer(operation(companyData.whoami), {}, (_, __, { withinMs }) => {
      within.push(withinMs);
      return within.length === 1 ? me : late;
    });

    await client.request(companyData.whoami, {});
    await expect(client.request(companyData.whoami, {}, { timeoutMs: 100 })).rejects.toMatchObject({ key: 'service.unavailable', message: expect.stringContaining('in time') });
    expect(within).toEqual([30_000, 100]);
    answer();
    await subscription.drain();
  });

  it('is told when no gateway answers', async () => {
    await expect(client.request(companyData.whoami, {})).rejects.toMatchObject({ key: 'service.unavailable', message: expect.stringContaining('Nobody answers') });
  });
});
