import { setTimeout as pause } from 'node:timers/promises';
import { companyData } from '@cds/contracts';
import { edgesOf, World } from '@cds/testing';

describe('one request, one trace', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ processes: 'many', traces: true, units: ['front-door', 'region-eu', 'gateway'] });
  });
  afterAll(() => world?.close());

  it('crosses gateway and platform in one piece', async () => {
    const internal = await world.internalService();
    await internal.request(companyData.whoami, {});

    const spans = await traceOf('process cds.gateway.v1.{service}.whoami');

    expect(edgesOf(spans).map(withoutDatabase).sort()).toEqual([
      'gateway: GET /api/company-data/whoami (client) > region-eu: GET /api/company-data/whoami (server)',
      'gateway: POST /oauth2/token (client) > front-door: POST /oauth2/token (server)',
      'gateway: process cds.gateway.v1.{service}.whoami (server) > gateway: GET /api/company-data/whoami (client)',
      'gateway: process cds.gateway.v1.{service}.whoami (server) > gateway: POST /oauth2/token (client)',
      'region-eu: GET /api/company-data/whoami (server) > region-eu: pg.query:INSERT (client)',
    ]);
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
  });

  it('says nothing on its spans beyond the closed list: no token, no secret, no statement', async () => {
    const { shop } = world;
    const { access_token } = await shop.getsToken();
    await shop.asksWhoami();

    await traceOf('GET /api/company-data/whoami');
    const everything = JSON.stringify(world.traces!.all);

    expect(world.traces!.all.length).toBeGreaterThan(5);
    expect(everything).not.toContain(access_token);
    expect(everything).not.toContain(shop.client_secret);
    expect(everything).not.toMatch(/select/);
  });

  /** Every world has databases of its own name. */
  const withoutDatabase = (edge: string) => edge.replace(/ w_\w+/, '');

  /** Spans leave in batches: wait until the named one is here, and its whole trace with it. */
  async function traceOf(name: string) {
    for (let tries = 0; tries < 100; tries++) {
      const root = world.traces!.all.find((span) => span.name === name && span.kind === 'server');
      if (root) {
        await pause(600);
        return world.traces!.trace(root.trace_id);
      }
      await pause(100);
    }
    throw new Error(`no span ${name} arrived`);
  }
});
