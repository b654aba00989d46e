import { OPERATOR, type Endpoint } from '@cds/contracts';
import { World } from '@cds/testing';
import { AT_FRONT_DOOR, GUARDED, kindOf, KINDS, mayCall, sampleOf, tokenOf } from './callers.ts';

const named = (endpoints: readonly Endpoint[]) => endpoints.map((contract) => [contract.name, contract] as const);
const UNITS = ['front-door', 'region-eu', 'region-us'] as const;

describe('every route that needs a token @spec D1-5.3 @spec D1-5.6 @spec D1-7', () => {
  let world: World;
  let eu: string;
  beforeAll(async () => {
    world = await World.open({ units: UNITS });
    eu = world.regionUrl('eu');
  });
  afterAll(() => world?.close());

  const asks = (contract: Endpoint, at: string, token?: string) => world.stranger.asks(contract, sampleOf(contract), { at, ...(token && { token }) });

  it.each(named(GUARDED))('%s refuses a stranger', async (_, contract) => {
    await expect(asks(contract, eu)).rejects.toMatchObject({ key: 'auth.token_invalid', status: 401 });
    await expect(asks(contract, eu, 'forged')).rejects.toMatchObject({ key: 'auth.token_invalid' });
  });

  it.each(named(GUARDED.filter((contract) => KINDS.some((kind) => !mayCall(kind, contract)))))('%s refuses callers it is not for', async (_, contract) => {
    for (const kind of KINDS.filter((other) => !mayCall(other, contract))) {
      await expect(asks(contract, eu, tokenOf(world, kind))).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden', status: 403 });
    }
  });

  it.each(named(GUARDED))('%s sends a caller home, from the front door and from another region', async (_, contract) => {
    const home = { key: 'region.rebase_required', status: 421, extras: { api_url: eu } };
    const token = tokenOf(world, kindOf(contract));

    await expect(asks(contract, world.frontDoorUrl, token)).rejects.toMatchObject(home);
    await expect(asks(contract, world.regionUrl('us'), token)).rejects.toMatchObject(home);
  });

  describe('while saving is paused', () => {
    beforeAll(() => mode({ writes_paused: true }));
    afterAll(() => mode({ writes_paused: false }));

    it.each(named(GUARDED.filter(({ refusals }) => refusals.includes('db.writes_paused'))))('%s asks to come again', async (_, contract) => {
      await expect(asks(contract, eu, tokenOf(world, kindOf(contract)))).rejects.toMatchObject({ key: 'db.writes_paused', status: 503, retryAfter: 30 });
    });

    it('and that is every route that saves something', () => {
      expect(GUARDED.filter(({ method, refusals }) => method !== 'GET' && !refusals.includes('db.writes_paused')).map(({ name }) => name)).toEqual([]);
    });
  });

  describe('while the region is being rebuilt', () => {
    beforeAll(() => mode({ out_of_order: true }));
    afterAll(() => mode({ out_of_order: false }));

    it.each(named(GUARDED))('%s asks to come again much later', async (_, contract) => {
      await expect(asks(contract, eu, tokenOf(world, kindOf(contract)))).rejects.toMatchObject({ key: 'platform.out_of_order', status: 503, retryAfter: 300 });
    });
  });

  /** An operator switches; the regions follow within moments. */
  async function mode(state: { writes_paused?: boolean; out_of_order?: boolean }): Promise<void> {
    const operator = await world.operator('platform');
    await operator.request(OPERATOR.setMode, {}, { region: 'eu', ...state });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
});

describe('every route with a bucket that holds one call @spec D1-5.4 @gap D1-8', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: UNITS, limits: 'tiny' });
  });
  afterAll(() => world?.close());

  it.each(named([...GUARDED, ...AT_FRONT_DOOR.filter(({ limit }) => limit)]))('%s asks to slow down, and says for how long', async (_, contract) => {
    const isGuarded = GUARDED.includes(contract);
    const options = isGuarded ? { at: world.regionUrl('eu'), token: tokenOf(world, kindOf(contract)) } : {};

    const ask = () => world.stranger.asks(contract, sampleOf(contract), options);
    await ask().catch(() => undefined);
    await expect(ask()).rejects.toMatchObject({ key: 'rate_limit.exceeded', status: 429, retryAfter: expect.any(Number) });
  });
});
