import { OPERATOR, RATE_LIMITS, type Endpoint } from '@codase/contracts';
import { CLIENTS } from '@codase/platform';
import { ProjectionWriter } from '@codase/runtime/bus';
import { World } from '@codase/testing';
import {
  AT_FRONT_DOOR,
  AT_REGION,
  GUARDED,
  GUARDED_AT_FRONT_DOOR,
  kindOf,
  KINDS,
  mayCall,
  sampleOf,
  tokenOf,
  type Kind,
} from './callers.ts';

const named = (endpoints: readonly Endpoint[]) => endpoints.map((contract) => [contract.name, contract] as const);
/** The routes of a region that anyone may call, within the limit of an address. */
const OPEN_AT_REGION = AT_REGION.filter(
  ({ at, callers, limit }) => at.length === 1 && at[0] === 'region' && callers.includes('anyone') && limit !== undefined,
);
const UNITS = ['front-door', 'region-eu', 'region-us'] as const;

describe('every route that needs a token @spec D1-5.3 @spec D1-5.6 @spec D1-7', () => {
  let world: World;
  let eu: string;
  beforeAll(async () => {
    world = await World.open({ units: UNITS });
    eu = world.regionUrl('eu');
  });
  afterAll(() => world?.close());

  const asks = (contract: Endpoint, at: string, token?: string) =>
    world.stranger.asks(contract, sampleOf(contract), { at, ...(token && { token }) });

  it.each(named(GUARDED))('%s refuses a request without a valid token', async (_, contract) => {
    await expect(asks(contract, eu)).rejects.toMatchObject({ key: 'auth.token_invalid', status: 401 });
    await expect(asks(contract, eu, 'forged')).rejects.toMatchObject({ key: 'auth.token_invalid' });
  });

  it.each(named(GUARDED.filter((contract) => KINDS.some((kind) => !mayCall(kind, contract)))))(
    '%s refuses kinds of callers that it does not list',
    async (_, contract) => {
      for (const kind of KINDS.filter((other) => !mayCall(other, contract))) {
        await expect(asks(contract, eu, await tokenOf(world, kind))).rejects.toMatchObject({
          key: 'auth.client_endpoint_forbidden',
          status: 403,
        });
      }
    },
  );

  it.each(named(GUARDED_AT_FRONT_DOOR))(
    '%s at the front door refuses a missing token and kinds of callers that it does not list',
    async (_, contract) => {
      await expect(asks(contract, world.frontDoorUrl)).rejects.toMatchObject({ key: 'auth.token_invalid', status: 401 });
      for (const kind of KINDS.filter((other) => !mayCall(other, contract))) {
        const token = await tokenOf(world, kind);
        await expect(asks(contract, world.frontDoorUrl, token)).rejects.toMatchObject({
          key: 'auth.client_endpoint_forbidden',
          status: 403,
        });
      }
    },
  );

  it.each(named(GUARDED))("%s answers 421 with the caller's home region, at the front door and in another region", async (_, contract) => {
    const home = { key: 'region.rebase_required', status: 421, extras: { api_url: eu } };
    const token = await tokenOf(world, kindOf(contract));

    await expect(asks(contract, world.frontDoorUrl, token)).rejects.toMatchObject(home);
    await expect(asks(contract, world.regionUrl('us'), token)).rejects.toMatchObject(home);
  });

  it.each(
    named(
      AT_FRONT_DOOR.filter(
        ({ at, refusals }) => !(at as readonly string[]).includes('region') && refusals.includes('region.rebase_required'),
      ),
    ),
  )('%s in a region answers 421 with the URL of the front door', async (_, contract) => {
    await expect(asks(contract, eu)).rejects.toMatchObject({
      key: 'region.rebase_required',
      status: 421,
      extras: { api_url: world.frontDoorUrl },
    });
  });

  it.each(named(GUARDED.filter((contract) => KINDS.every((kind) => mayCall(kind, contract)))))(
    '%s, open to all kinds of callers, refuses a client without the path on its whitelist',
    async (_, contract) => {
      await expect(asks(contract, eu, await ungranted())).rejects.toMatchObject({ key: 'auth.client_endpoint_forbidden', status: 403 });
    },
  );

  describe('while writes are paused', () => {
    beforeAll(() => mode({ writes_paused: true }));
    afterAll(() => mode({ writes_paused: false }));

    it.each(named(GUARDED.filter(({ refusals }) => refusals.includes('db.writes_paused'))))(
      '%s is refused with 503 and a short Retry-After',
      async (_, contract) => {
        await expect(asks(contract, eu, await tokenOf(world, kindOf(contract)))).rejects.toMatchObject({
          key: 'db.writes_paused',
          status: 503,
          retryAfter: 30,
        });
      },
    );

    it('every route that writes declares db.writes_paused', () => {
      expect(
        GUARDED.filter(({ method, refusals }) => method !== 'GET' && !refusals.includes('db.writes_paused')).map(({ name }) => name),
      ).toEqual([]);
    });
  });

  describe('while the region is being rebuilt', () => {
    beforeAll(() => mode({ out_of_order: true }));
    afterAll(() => mode({ out_of_order: false }));

    const refusing = [...GUARDED, ...OPEN_AT_REGION.filter(({ refusals }) => refusals.includes('platform.out_of_order'))];
    it.each(named(refusing))('%s is refused with 503 and a long Retry-After', async (_, contract) => {
      const token = GUARDED.includes(contract) ? await tokenOf(world, kindOf(contract)) : undefined;
      await expect(asks(contract, eu, token)).rejects.toMatchObject({
        key: 'platform.out_of_order',
        status: 503,
        retryAfter: 300,
      });
    });
  });

  /** Adds a client that may call nothing: its row, as the regions follow it, has no pattern. Returns a token of the client. */
  async function ungranted(): Promise<string> {
    const client_id = 'svc_ungranted';
    const row = {
      client_id,
      kind: 'service' as const,
      company_user_id: world.shop.company_user_id,
      service_id: 'ser_none',
      region: 'eu',
      epoch: 1,
      secrets: [],
      patterns: [],
    };
    await (await ProjectionWriter.open(await world.operator('platform'), CLIENTS)).put(client_id, row);
    return world.mints({ client_id, sub: client_id });
  }

  /** Switches a mode as an operator does. The regions follow within moments. */
  async function mode(state: { writes_paused?: boolean; out_of_order?: boolean }): Promise<void> {
    const operator = await world.operator('platform');
    await operator.request(OPERATOR.setMode, {}, { region: 'eu', ...state });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
});

describe('every route whose rate limit allows one call @spec D1-5.4 @gap D1-8', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: UNITS, limits: 'tiny' });
  });
  afterAll(() => world?.close());

  it.each(named([...GUARDED, ...GUARDED_AT_FRONT_DOOR, ...OPEN_AT_REGION, ...AT_FRONT_DOOR.filter(({ limit }) => limit)]))(
    '%s is refused with 429 and Retry-After on the second call',
    async (_, contract) => {
      const at = [...GUARDED, ...OPEN_AT_REGION].includes(contract) ? world.regionUrl('eu') : world.frontDoorUrl;
      const options = contract.callers.includes('anyone') ? { at } : { at, token: await tokenOf(world, kindOf(contract)) };

      const ask = () => world.stranger.asks(contract, sampleOf(contract), options);
      await ask().catch(() => undefined);
      await expect(ask()).rejects.toMatchObject({ key: 'rate_limit.exceeded', status: 429, retryAfter: expect.any(Number) });
    },
  );

  it.each(named(GUARDED.filter(({ limit }) => limit && RATE_LIMITS[limit].by === 'company')))(
    '%s shares its rate limit between all clients of the company',
    async (_, contract) => {
      const asks = async (kind: Kind) =>
        world.stranger.asks(contract, sampleOf(contract), { at: world.regionUrl('eu'), token: await tokenOf(world, kind) });

      await asks('account').catch(() => undefined);

      await expect(asks('portal')).rejects.toMatchObject({ key: 'rate_limit.exceeded' });
    },
  );
});
