import { companyData, operation } from '@cds/contracts';
import type { CdsClient } from '@cds/client';
import { World } from '@cds/testing';

describe('the gateway @spec D1-5.4 @spec D1-5.6', () => {
  let world: World;
  let internal: CdsClient;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'gateway'] });
    internal = await world.internalService();
  });
  afterAll(() => world?.close());

  it('goes on when hours have passed and its token with them', async () => {
    const first = await internal.request(companyData.whoami, {});
    await world.passes({ hours: 3 });

    expect(await internal.request(companyData.whoami, {})).toEqual(first);
  });

  it('says that it holds no credentials for a service it does not know', async () => {
    const operator = await world.operator('suite');

    await expect(operator.request(operation(companyData.whoami), { service: 'stranger' }, {})).rejects.toMatchObject({ key: 'request.not_found', message: expect.stringContaining('no credentials') });
  });

  it('lets an internal service ask only for the services it may read', async () => {
    const other = await world.internalService({ service: 'another' });

    await expect(other.request(companyData.whoami, {})).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden' });
  });
});
