import { account, companyData, tokens } from '@codase/contracts';
import { World } from '@codase/testing';

const INVALID = { key: 'auth.token_invalid', status: 401 };

describe('the signing keys of the platform', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us', 'delivery'] });
  });
  afterAll(() => world?.close());

  const sendsTo = (to: string) => ({ key: 'region.rebase_required', status: 421, extras: { api_url: to } });
  const asksAs = (token: string, at: string) => world.stranger.asks(companyData.whoami, {}, { at, token });
  const readsProfile = (token: string, at: string) => world.stranger.asks(account.readProfile, {}, { at, token });
  const bases = () => [world.frontDoorUrl, world.regionUrl('eu'), world.regionUrl('us')];

  describe('a stolen key of a region @gap D1-5.6', () => {
    it('signs valid tokens for clients at home in its region', async () => {
      const client_id = world.shop.client_id;
      const token = await world.mints({ client_id, sub: client_id }, 'eu');

      await expect(asksAs(token, world.regionUrl('eu'))).resolves.toBeDefined();
      await expect(asksAs(token, world.regionUrl('us'))).rejects.toMatchObject(sendsTo(world.regionUrl('eu')));
    });

    it('signs no valid token for a client at home elsewhere, at any base', async () => {
      const client_id = world.boltShop.client_id;
      const token = await world.mints({ client_id, sub: client_id }, 'eu');

      for (const at of bases()) await expect(asksAs(token, at)).rejects.toMatchObject(INVALID);
      await expect(asksAs(await world.mints({ client_id, sub: client_id }), world.regionUrl('us'))).resolves.toBeDefined();
    });

    it('signs no valid token for a user at home elsewhere', async () => {
      const [ana, ben] = [world.person('ANA'), world.person('BEN')];
      const mints = (sub: string) => world.mints({ client_id: 'app_person', sub }, 'eu');

      await expect(readsProfile(await mints(ana.user_id), world.regionUrl('eu'))).resolves.toMatchObject({ user_id: ana.user_id });
      const token = await mints(ben.user_id);
      for (const at of [world.frontDoorUrl, world.regionUrl('us')]) await expect(readsProfile(token, at)).rejects.toMatchObject(INVALID);
      await expect(readsProfile(token, world.regionUrl('eu'))).rejects.toMatchObject(sendsTo(world.regionUrl('us')));
    });
  });

  it('keys of their own sign every `id_token`, and no other token @gap D1-4.6', async () => {
    const kidOf = async (base?: 'eu') => {
      const [head] = (await world.mints({ client_id: 'app_person', sub: world.person('ANA').user_id }, base)).split('.');
      return (JSON.parse(Buffer.from(head!, 'base64url').toString('utf8')) as { kid: string }).kid;
    };
    const kidsIn = async (set: typeof tokens.jwks | typeof tokens.openidJwks) =>
      (await world.stranger.asks(set, {})).keys.map(({ kid }) => kid);

    const own = await kidsIn(tokens.openidJwks);
    expect(own).toHaveLength(1);
    expect(own).not.toContain(await kidOf());
    const all = await kidsIn(tokens.jwks);
    expect(all).toEqual(expect.arrayContaining([await kidOf(), await kidOf('eu')]));
    expect(all).not.toContain(own[0]);
    const { jwks_uri } = await world.stranger.asks(tokens.openidConfiguration, {});
    expect(jwks_uri).toBe(`${world.frontDoorUrl}${tokens.openidJwks.path}`);
  });

  it('are published by the front door for every base', async () => {
    const { keys } = await world.stranger.asks(tokens.jwks, {});

    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(3);
  });

  it('a region issues no token for a client at home elsewhere, and the answer names the front door', async () => {
    const { client_id, client_secret } = world.boltShop;
    const body = { grant_type: 'client_credentials', client_id, client_secret };

    await expect(world.stranger.asks(tokens.issueToken, { body }, { at: world.regionUrl('eu') })).rejects.toMatchObject(
      sendsTo(world.frontDoorUrl),
    );
    await expect(world.stranger.asks(tokens.issueToken, { body }, { at: world.regionUrl('us') })).resolves.toBeDefined();
  });

  it('a region refreshes no session of a user at home elsewhere, and the refresh token stays valid', async () => {
    const { refresh_token } = await world.person('BEN').signsIn();
    const body = { grant_type: 'refresh_token', client_id: 'app_person', refresh_token: refresh_token! };
    const refreshes = (at: string) => world.stranger.asks(tokens.issueToken, { body }, { at });

    await expect(refreshes(world.regionUrl('eu'))).rejects.toMatchObject(sendsTo(world.frontDoorUrl));
    await expect(refreshes(world.regionUrl('us'))).resolves.toBeDefined();
  });
});
