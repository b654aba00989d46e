import { identity, OPERATOR } from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { World } from '@codase/testing';
import { Enrolments } from '../../../src/accounts/sign-in/enrolments.service.ts';
import { EnrolmentsStore } from '../../../src/accounts/sign-in/enrolments.store.ts';
import { EnrolmentHandOver } from '../../../src/accounts/sign-in/enrolment-hand-over.worker.ts';
import { browses, CALLBACK, withRedirect } from '../../support/oauth-visitor.ts';
import { FRONT_DOOR_ENTITIES } from '../../../src/capabilities.ts';

describe('the enrolment for approvals @spec D1-4.5 @spec D1-2.10', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    await withRedirect(world, world.shop);
    for (const share_code of ['ANA', 'BEN', 'CHIARA']) await world.person(share_code).connections.connects('ACME/SHOP');
  });
  afterAll(() => world?.close());

  const enrolment = { mode: '2fa_enroll' as const };
  const queryOf = (state = 's1') => ({ ...enrolment, client_id: world.shop.client_id, redirect_uri: CALLBACK, state });
  const detached = (state: string) => ({ ...enrolment, client_id: world.shop.client_id, response_mode: 'detached' as const, state });
  const credentials = (share_code = 'ANA') => {
    const { email, password } = world.person(share_code);
    return { email, password };
  };
  const submits = (body: Parameters<typeof world.stranger.asks<typeof identity.authorize>>[1]['body']) =>
    world.stranger.asks(identity.authorize, { body });
  const begins = (state: string) => world.stranger.asks(identity.beginAuthorization, { query: detached(state) });
  const polls = (state: string, { client_id, client_secret } = world.shop) =>
    world.stranger.asks(identity.pollResult, { body: { client_id, client_secret, state } });
  const posts = async (form: Record<string, string>) => {
    const answer = await fetch(`${world.frontDoorUrl}${identity.authorize.path}`, {
      method: 'POST',
      headers: { accept: 'text/html' },
      body: new URLSearchParams(form),
      redirect: 'manual',
    });
    return { status: answer.status, html: await answer.text() };
  };
  const setMode = async (mode: { writes_paused?: boolean; out_of_order?: boolean }) =>
    (await world.operator('platform')).request(OPERATOR.setMode, {}, { region: 'eu', ...mode });
  const setLevel = async (level: 'basic' | 'pro') =>
    (await world.operator('platform')).request(OPERATOR.setLevel, {}, { user_id: world.acme.user_id, level });

  it('shows its purpose, and redirects the person without an authorization code', async () => {
    const { html } = await world.stranger.asks(identity.beginAuthorization, { query: queryOf() });
    expect(html).toContain('Approve sign-ins to');

    const { location } = await submits({ ...queryOf(), ...credentials() });

    expect(location).toBe(`${CALLBACK}?enrolled=true&state=s1`);
  });

  it('redirects with access_denied when the person denies', async () => {
    expect((await submits({ ...queryOf(), decision: 'deny' })).location).toMatch(/\?error=access_denied&state=s1/);
  });

  it('is refused for companies', async () => {
    await expect(submits({ ...queryOf(), email: world.acme.email, password: world.acme.password })).rejects.toMatchObject({
      key: 'oauth.access_denied',
    });
  });

  it('requires the pro level, unless the person is enrolled already', async () => {
    await submits({ ...queryOf(), ...credentials('CHIARA') });
    await setLevel('basic');

    await expect(submits({ ...queryOf(), ...credentials('BEN') })).rejects.toMatchObject({ key: 'account.level_required', status: 403 });
    await expect(submits({ ...queryOf(), ...credentials('CHIARA') })).resolves.toBeDefined();

    const shown = async () => (await browses(`${world.frontDoorUrl}/oauth2/authorize?${new URLSearchParams(queryOf())}`)).html;
    expect(await shown()).toContain('does not include approvals for new people');
    await setLevel('pro');
    expect(await shown()).not.toContain('does not include approvals');
    await expect(submits({ ...queryOf(), ...credentials('BEN') })).resolves.toBeDefined();
  });

  it('requires a connection of the person to the service, and ends with the connection @spec D1-1 @gap D1-4.5', async () => {
    const dora = await world.signsUp({ type: 'person', region: 'us' });
    const { email, password } = dora;
    const notConnected = { key: 'twofa.connection_required', status: 403, message: expect.stringContaining('connect to ACME/SHOP') };

    await expect(submits({ ...queryOf(), email, password })).rejects.toMatchObject(notConnected);
    const { status, html } = await posts({ ...queryOf(), email, password });
    expect(status).toBe(403);
    expect(html).toContain('connect to ACME/SHOP in your app first');
    expect(html).toContain('name="decision" value="allow"');

    const connection = await dora.connections.connects('ACME/SHOP');
    expect((await submits({ ...queryOf(), email, password })).location).toBe(`${CALLBACK}?enrolled=true&state=s1`);
    await dora.connections.disconnects(connection);
    await expect(submits({ ...queryOf(), email, password })).rejects.toMatchObject(notConnected);

    // A person who connects again is not enrolled any more: an enrolled person would need no level here.
    await dora.connections.connects('ACME/SHOP');
    await setLevel('basic');
    await expect(submits({ ...queryOf(), email, password })).rejects.toMatchObject({ key: 'account.level_required' });
    await setLevel('pro');
    await expect(submits({ ...queryOf(), email, password })).resolves.toBeDefined();
  });

  it("moves from the front door's older rows to the regions, except when its connection has ended", async () => {
    const eva = await world.signsUp({ type: 'person', region: 'us' });
    const { id } = await eva.connections.connects('ACME/SHOP');
    const db = await world.opensDatabase('front_door', { entities: FRONT_DOOR_ENTITIES });
    const old = (person_user_id: string, connection_id: string | null) =>
      execute(
        db,
        sql`
        insert into enrolment (service_id, person_user_id, connection_id, created_at)
        values (${world.shop.service_id}, ${person_user_id}, ${connection_id}, now())`,
      );
    await old(eva.user_id, id);
    await old(world.person('ANA').user_id, 'conn_that_ended');
    await old(world.person('BEN').user_id, null);
    const regions = ['us', 'eu'].map((region) => ({ region, api_url: '' }));
    // A second front door must hand over nothing at the same time: an enrolment might be revoked by then, and would come back.
    const meanwhile: boolean[] = [];
    const nobody = { request: () => Promise.reject(new Error('there is nothing to hand over')) };
    const second = new EnrolmentHandOver(db, nobody as never, { regions }, silentLog);
    const platform = await world.operator('platform');
    const bus = {
      async request(...args: Parameters<typeof platform.request>) {
        meanwhile.push(await second.handOverSome());
        return platform.request(...args);
      },
    };
    const away = new EnrolmentHandOver(db, nobody as never, { regions }, silentLog);
    const handOver = new EnrolmentHandOver(db, bus as never, { regions }, silentLog);

    await expect(away.handOverSome()).rejects.toThrow('nothing to hand over'); // no region answers, so the enrolments wait
    expect([await handOver.handOverSome(), await handOver.handOverSome()]).toEqual([false, true]);
    expect(meanwhile).toEqual([true, true]);

    expect(await many(db, sql`select from enrolment`)).toEqual([]);
    expect(await eva.phone.enrolments()).toEqual([expect.objectContaining({ service_id: world.shop.service_id })]);
    await db.destroy();
  });

  describe('a detached enrolment', () => {
    it('can be polled by its state before and after the person enrols, any number of times @gap D1-4.5', async () => {
      await begins('d1');
      expect(await polls('d1')).toEqual({ enrolled: false });

      const { location } = await submits({ ...detached('d1'), ...credentials() });

      expect(await polls('d1')).toEqual({ enrolled: true });
      expect(await polls('d1')).toEqual({ enrolled: true });
      expect((await browses(location)).html).toContain('You can close this page');
      expect(await world.stranger.asks(identity.authorizationDone, { query: {} })).toEqual({
        html: expect.stringContaining('Approvals are set up'),
      });
    });

    it('has one outcome when it is allowed in one tab and denied in another', async () => {
      const db = await world.opensDatabase('front_door', { entities: FRONT_DOOR_ENTITIES });
      const request = { goal: 'detached' as const, client: { client_id: world.shop.client_id, region: 'eu' } as never, state: 'tabs' };
      const denials: unknown[] = [];
      const denied = () =>
        enrolments.deny(request).then(
          () => denials.push('denied'),
          ({ key }) => denials.push(key),
        );
      const bus = { request: async () => (await denied(), { connection_id: 'conn', code: 'ACME/SHOP' }) };
      const modes = { checkWritable: () => undefined };
      const clock = { now: () => world.now };
      const enrolments = new Enrolments(new EnrolmentsStore(db), undefined as never, modes as never, bus as never, clock);
      await enrolments.begin(request);

      await enrolments.confirm(request, 'usr_ana');

      expect(denials).toEqual(['oauth.invalid_request']);
      expect(await polls('tabs')).toEqual({ enrolled: true });
      await db.destroy();
    });

    it('reports a denial', async () => {
      await begins('d2');
      const { location } = await submits({ ...detached('d2'), decision: 'deny' });

      expect((await browses(location)).html).toContain('Nothing was set up');
      await expect(polls('d2')).rejects.toMatchObject({ key: 'oauth.access_denied', status: 403 });
    });

    it('accepts only one answer', async () => {
      await begins('d3');
      await submits({ ...detached('d3'), ...credentials() });

      await expect(submits({ ...detached('d3'), decision: 'deny' })).rejects.toMatchObject({ key: 'oauth.invalid_request' });
      await begins('d3');
      expect(await polls('d3')).toEqual({ enrolled: true });
    });

    it('expires after ten minutes, and then the same state can begin again', async () => {
      await begins('d4');
      await world.passes({ minutes: 10 });

      await expect(polls('d4')).rejects.toMatchObject({ key: 'oauth.invalid_grant', status: 400 });
      await expect(submits({ ...detached('d4'), ...credentials() })).rejects.toMatchObject({ key: 'oauth.invalid_request' });
      await begins('d4');
      expect(await polls('d4')).toEqual({ enrolled: false });
    });

    it('accepts a redirect URI of the client, and does not use it @gap D1-4.5', async () => {
      const query = { ...detached('d8'), redirect_uri: CALLBACK };
      await world.stranger.asks(identity.beginAuthorization, { query });

      expect((await submits({ ...query, ...credentials() })).location).not.toContain(CALLBACK);
      expect(await polls('d8')).toEqual({ enrolled: true });
    });

    it.each([
      ['no state', { state: undefined }],
      ['an address that the client does not have', { redirect_uri: `${CALLBACK}/elsewhere` }],
    ])('is refused with %s', async (_, wrong) => {
      const query = Object.fromEntries(
        Object.entries({ ...detached('d5'), ...wrong }).filter(([, value]) => value !== undefined),
      ) as ReturnType<typeof detached>;

      await expect(world.stranger.asks(identity.beginAuthorization, { query })).rejects.toMatchObject({ key: 'oauth.invalid_request' });
    });

    it("can be polled only by its own client, with the client's secret", async () => {
      await begins('d6');

      await expect(polls('d6', world.boltShop)).rejects.toMatchObject({ key: 'oauth.invalid_grant' });
      await expect(polls('d6', { ...world.shop, client_secret: 'wrong' } as typeof world.shop)).rejects.toMatchObject({
        key: 'oauth.invalid_client',
        status: 401,
      });
      await expect(polls('')).rejects.toMatchObject({ key: 'oauth.invalid_request' });
    });

    it('has no page for an unknown outcome', async () => {
      await expect(world.stranger.asks(identity.authorizationDone, { query: { outcome: 'maybe' as never } })).rejects.toMatchObject({
        key: 'oauth.invalid_request',
      });
    });
  });

  it("is refused, and so is its poll, while the company's region saves nothing @spec D1-7", async () => {
    await begins('d7');
    for (const [mode, key] of [
      [{ writes_paused: true }, 'db.writes_paused'],
      [{ out_of_order: true }, 'platform.out_of_order'],
    ] as const) {
      await setMode({ writes_paused: false, ...mode });

      await expect(submits({ ...detached('d7'), ...credentials() })).rejects.toMatchObject({ key });
      await expect(submits({ ...detached('d7'), decision: 'deny' })).rejects.toMatchObject({ key });
      await expect(polls('d7')).rejects.toMatchObject({ key });
    }
    await setMode({ writes_paused: false, out_of_order: false });

    expect(await polls('d7')).toEqual({ enrolled: false });
  });
});
