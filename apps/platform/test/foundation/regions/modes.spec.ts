import { account, accountClients, companyData, OPERATOR, TokenResponse, tokens } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { comesTrue, World } from '@codase/testing';

const PAUSED = { key: 'db.writes_paused', status: 503, retryAfter: 30 };
const OUT_OF_ORDER = { key: 'platform.out_of_order', status: 503, retryAfter: 300 };

describe('the modes of a region @spec D1-7 @spec D1-8', () => {
  let world: World;
  let operator: Bus;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    operator = await world.operator('platform');
  });
  afterAll(() => world?.close());

  const switches = (change: { writes_paused?: boolean; out_of_order?: boolean }, region = 'eu') =>
    operator.request(OPERATOR.setMode, {}, { region, ...change });
  const creates = (name: string, company = world.acme) =>
    company.asks(accountClients.createAccountClient, { body: { name, capabilities: [] } });
  const names = async () => (await world.acme.asks(accountClients.listAccountClients, { query: {} })).items.map(({ name }) => name);
  const credentials = () => ({
    grant_type: 'client_credentials',
    client_id: world.shop.client_id,
    client_secret: world.shop.client_secret,
  });
  const getsToken = (at: string) => world.stranger.asks(tokens.issueToken, { body: credentials() }, { at });
  const refreshes = ({ refresh_token }: TokenResponse, at: string) =>
    world.stranger.asks(
      tokens.issueToken,
      { body: { grant_type: 'refresh_token', client_id: 'app_portal', refresh_token: refresh_token! } },
      { at },
    );

  it('are switched independently by an operator, and read by an empty change', async () => {
    expect(await switches({})).toEqual({ region: 'eu', writes_paused: false, out_of_order: false });
    expect(await switches({ writes_paused: true })).toEqual({ region: 'eu', writes_paused: true, out_of_order: false });
    expect(await switches({ out_of_order: true })).toEqual({ region: 'eu', writes_paused: true, out_of_order: true });
    expect(await switches({ writes_paused: false, out_of_order: false })).toEqual({
      region: 'eu',
      writes_paused: false,
      out_of_order: false,
    });
    await expect(switches({}, 'mars')).rejects.toMatchObject({
      key: 'request.invalid',
      message: 'There is no region mars: there are eu, us',
    });
  });

  describe('while writes are paused', () => {
    beforeAll(async () => {
      await switches({ writes_paused: true });
      await until(() => creates('probe'), 'db.writes_paused');
    });
    afterAll(async () => {
      await switches({ writes_paused: false });
      await until(names, undefined);
    });

    it('writes are refused with 503 and a short Retry-After, and nothing is stored', async () => {
      const before = await names();

      await expect(creates('late')).rejects.toMatchObject(PAUSED);
      await expect(
        world.acme.asks(accountClients.deleteAccountClient, { params: { id: world.automation.client_id } }),
      ).rejects.toMatchObject(PAUSED);
      expect(await names()).toEqual(before);
    });

    it('reads succeed', async () => {
      await expect(world.acme.asks(account.readAccount, {})).resolves.toMatchObject({ user_id: world.acme.user_id });
      await expect(world.shop.asks(companyData.whoami, {})).resolves.toMatchObject({ service_id: world.shop.service_id });
    });

    it('tokens are issued for every grant, at the front door and in the region', async () => {
      await expect(getsToken(world.frontDoorUrl)).resolves.toMatchObject({ token_type: 'Bearer' });
      await expect(getsToken(world.regionUrl('eu'))).resolves.toMatchObject({ token_type: 'Bearer' });
      const signedIn = await world.acme.signsIn();
      await expect(refreshes(signedIn, world.regionUrl('eu'))).resolves.toMatchObject({ token_type: 'Bearer' });
    });

    it('a caller without permission gets 403, not 503', async () => {
      await expect(world.shop.asks(accountClients.createAccountClient, { body: { name: 'x', capabilities: [] } })).rejects.toMatchObject({
        key: 'auth.client_endpoint_forbidden',
      });
    });

    it('the other region accepts writes', async () => {
      await expect(creates('elsewhere', world.bolt)).resolves.toMatchObject({ name: 'elsewhere' });
    });
  });

  describe('while a region is being rebuilt', () => {
    let signedIn: TokenResponse;
    beforeAll(async () => {
      signedIn = await world.acme.signsIn();
      await switches({ out_of_order: true });
      await until(names, 'platform.out_of_order');
    });
    afterAll(async () => {
      await switches({ out_of_order: false });
      await until(names, undefined);
    });

    it('every call is refused with 503 and a long Retry-After, also reads and unknown routes', async () => {
      await expect(world.shop.asks(companyData.whoami, {})).rejects.toMatchObject(OUT_OF_ORDER);
      await expect(creates('late')).rejects.toMatchObject(OUT_OF_ORDER);
      await expect(world.stranger.asks(companyData.whoami, {}, { at: world.regionUrl('eu') })).rejects.toMatchObject(OUT_OF_ORDER);
      const unknown = await fetch(`${world.regionUrl('eu')}/api/nothing`);
      expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '300']);
    });

    it('a client gets a token by its secret, in the region and at the front door', async () => {
      await expect(getsToken(world.regionUrl('eu'))).resolves.toMatchObject({ token_type: 'Bearer' });
      await expect(getsToken(world.frontDoorUrl)).resolves.toMatchObject({ api_url: world.regionUrl('eu') });
    });

    it('other grants are refused, and the refresh token stays valid', async () => {
      await expect(refreshes(signedIn, world.regionUrl('eu'))).rejects.toMatchObject(OUT_OF_ORDER);
      await switches({ out_of_order: false });
      await until(names, undefined);

      await expect(refreshes(signedIn, world.regionUrl('eu'))).resolves.toMatchObject({ token_type: 'Bearer' });
      await switches({ out_of_order: true });
      await until(names, 'platform.out_of_order');
    });

    it('the other region accepts calls', async () => {
      await expect(creates('elsewhere', world.bolt)).resolves.toMatchObject({ name: 'elsewhere' });
    });
  });

  /** Waits until the call has this outcome: the bases follow a switch within moments. */
  async function until(call: () => Promise<unknown>, key: string | undefined): Promise<void> {
    const answer = () =>
      call().then(
        () => undefined,
        (error: { key: string }) => error.key,
      );
    await comesTrue(async () => expect(await answer()).toBe(key));
  }
});
