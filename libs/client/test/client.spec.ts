import { connect, type CodaseClient } from '@codase/client';
import { companyData, operation, Refusal } from '@codase/contracts';
import { silentLog } from '@codase/runtime/telemetry';
import { comesTrue, FaultProxy, TestBus } from '@codase/testing';

describe('an internal service', () => {
  let nats: TestBus;
  let client: CodaseClient;
  beforeAll(async () => {
    nats = await TestBus.open();
    client = await connect({ ...nats.credentials, service: 'shop', log: silentLog });
  });
  afterAll(async () => {
    await client?.close();
    await nats?.close();
  });

  it('sends a request for its own service and gets the typed answer', async () => {
    const gateway = await nats.connect();
    const subscription = await gateway.answer(operation(companyData.whoami), {}, (_, { service }) => ({
      company_user_id: 'acme',
      service_id: service,
    }));

    expect(await client.request(companyData.whoami, {})).toEqual({ company_user_id: 'acme', service_id: 'shop' });
    await subscription.drain();
  });

  it('receives a refusal as a Refusal with its key', async () => {
    const gateway = await nats.connect();
    const subscription = await gateway.answer(operation(companyData.whoami), {}, () => {
      throw new Refusal('db.writes_paused');
    });

    await expect(client.request(companyData.whoami, {})).rejects.toMatchObject({ key: 'db.writes_paused', status: 503, retryAfter: 30 });
    await subscription.drain();
  });

  it('waits as long as its timeout, and passes the timeout to the gateway', async () => {
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
    await expect(client.request(companyData.whoami, {}, { timeoutMs: 100 })).rejects.toMatchObject({
      key: 'service.unavailable',
      message: expect.stringContaining('in time'),
    });
    answer();
    await subscription.drain();
    // The gateway gets what is left of the time, which is a little less on a busy machine.
    const [usual, short] = [within[0], within.at(-1)] as number[];
    expect([Math.ceil(usual! / 1000), Math.ceil(short! / 100)]).toEqual([45, 1]);
  });

  it("waits long enough for the gateway to outlast a pause of the platform's writes @spec D1-7", async () => {
    const gateway = await nats.connect();
    let within = 0;
    const subscription = await gateway.answer(operation(companyData.whoami), {}, (_, __, { withinMs = 0 }) => {
      within = withinMs;
      return { company_user_id: 'acme', service_id: 'shop' };
    });

    await client.request(companyData.whoami, {});

    const pauseMs = new Refusal('db.writes_paused').retryAfter! * 1000;
    // The gateway adds a tenth to the pause, and keeps a twentieth of the time for the way back.
    expect(within).toBeGreaterThan(1.25 * pauseMs);
    await subscription.drain();
  });

  it('reports its health, and that it is no longer connected after it has closed', async () => {
    const leaving = await connect({ ...nats.credentials, service: 'shop', log: silentLog });
    expect(leaving.health()).toEqual({ ready: true, checks: { bus: 'ok' } });

    await leaving.close();

    await leaving.closed;
    expect(leaving.health()).toEqual({ ready: false, checks: { bus: 'not connected' } });
    await expect(leaving.handle('orders', { once: async () => true }, {})).rejects.toThrow('The client was closed');
  });

  it('can close while the bus is down, and more than once', async () => {
    const { hostname, port } = new URL(nats.credentials.url);
    const proxy = await FaultProxy.open({ target: { host: hostname, port: Number(port) } });
    const leaving = await connect({ ...nats.credentials, url: `nats://127.0.0.1:${proxy.port}`, service: 'shop', log: silentLog });

    await proxy.close();
    await comesTrue(async () => expect(leaving.health().ready).toBe(false));
    await Promise.all([leaving.close(), leaving.close()]);

    await leaving.closed;
    await expect(leaving.close()).resolves.toBeUndefined();
  });

  it('gets an error that says what to change when it cannot connect', async () => {
    await expect(connect({ ...nats.credentials, service: 'no good' })).rejects.toThrow(
      'The service "no good" cannot be one: give the gateway\'s name of it',
    );
    await expect(connect({ ...nats.credentials, password: 'guess', service: 'shop' })).rejects.toThrow(
      'does not let tester in: check the user and its password',
    );
  });

  it('gets service.unavailable when no gateway answers', async () => {
    await expect(client.request(companyData.whoami, {})).rejects.toMatchObject({
      key: 'service.unavailable',
      message: expect.stringContaining('Nobody answers'),
    });
  });
});
