import { account, companyData, OPERATOR, tokens } from '@codase/contracts';
import { ProjectionReader } from '@codase/runtime/bus';
import { execute, many, one, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually, World, type Person } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { REVOCATIONS } from '../../../src/access/tokens/index.ts';
import { frontDoorDatabase } from '../clients/account-clients-database.ts';
import { codeFor, phone, portal, refresh, signIn } from '../../support/oauth-visitor.ts';
import { PlatformInternals } from '../../support/platform-internals.ts';

const IS_OVER = { key: 'auth.token_invalid', status: 401 };

describe('the sessions of a user @gap D1-4.1', () => {
  let world: World;
  let db: DataSource;
  let ana: Person;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    db = await frontDoorDatabase(world);
    ana = world.person('ANA');
  });
  afterAll(async () => {
    await db?.destroy();
    await world?.close();
  });

  const signsIn = () => signIn(phone(world), ana, world.stranger);
  const lists = (token: string) => world.stranger.asks(tokens.listSessions, {}, { token });
  const reads = (token: string) => world.stranger.asks(account.readProfile, {}, { at: world.regionUrl('eu'), token });
  const isOver = (token: string) =>
    eventually(() =>
      reads(token).then(
        () => undefined,
        (error: unknown) => error,
      ),
    ).then((error) => expect(error).toMatchObject(IS_OVER));
  const sidOf = (token: string) => (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sid: string }).sid;
  const acted = async (act: string, account_id: string) =>
    (await one<{ n: number }>(db, sql`select count(*)::int as n from audit.entry where act = ${act} and account_id = ${account_id}`))!.n;

  it('are listed with their client, and an ended one ends at every base', async () => {
    const [kept, lost] = [await signsIn(), await signsIn()];

    const { items } = await lists(kept.access_token);
    expect(items.find(({ id }) => id === sidOf(lost.access_token))).toEqual({
      id: sidOf(lost.access_token),
      client_id: 'app_person',
      client_name: 'Phone',
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      ends_at: expect.any(String),
    });

    const ends = (token: string, sessionId: string) => world.stranger.asks(tokens.endSession, { params: { sessionId } }, { token });
    await ends(kept.access_token, sidOf(lost.access_token));
    await isOver(lost.access_token);
    await expect(reads(kept.access_token)).resolves.toBeDefined();
    expect((await lists(kept.access_token)).items.map(({ id }) => id)).not.toContain(sidOf(lost.access_token));
    expect(await acted('session.ended', ana.user_id)).toBe(1);

    const missing = { key: 'account.session_not_found', status: 404 };
    await expect(ends(kept.access_token, sidOf(lost.access_token))).rejects.toMatchObject(missing);
    const ben = await signIn(phone(world), world.person('BEN'), world.stranger);
    await expect(ends(ben.access_token, sidOf(kept.access_token))).rejects.toMatchObject(missing);
  });

  it('end all at once, even while writes are paused in the region', async () => {
    const [here, there] = [await signsIn(), await signsIn()];
    const operator = await world.operator('platform');
    await operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused: true });

    await world.stranger.asks(tokens.endAllSessions, {}, { token: here.access_token });
    await operator.request(OPERATOR.setMode, {}, { region: 'eu', writes_paused: false });

    for (const { access_token } of [here, there]) await isOver(access_token);
    await expect(world.stranger.asks(tokens.issueToken, refresh(phone(world), there.refresh_token!))).rejects.toMatchObject({
      key: 'oauth.invalid_grant',
    });
    await expect(lists(here.access_token)).rejects.toMatchObject(IS_OVER);
    expect(await acted('sessions.ended', ana.user_id)).toBe(1);
  });

  it('are locked before their codes and tokens, in the same order as when they end', async () => {
    const internals = await PlatformInternals.open(world, ['front_door']);
    const lockAll = (table: string) =>
      many(internals.database('front_door'), { text: `select 1 from ${table} for update nowait`, values: [] });
    const { refresh_token } = await signsIn();
    const code = await codeFor(phone(world), ana, world.stranger);

    for (const [table, grant] of [
      ['refresh_token', refresh(phone(world), refresh_token!)],
      ['authorization_code', { body: code }],
    ] as const) {
      const release = await internals.hold('front_door', sql`select 1 from session where user_id = ${ana.user_id} for update`);
      const answer = world.stranger.asks(tokens.issueToken, grant);
      await internals.someoneWaits('front_door', 'transactionid');
      const [locked] = await Promise.allSettled([lockAll(table)]);
      await release();

      expect({ [table]: locked.status }).toEqual({ [table]: 'fulfilled' });
      await expect(answer).resolves.toMatchObject({ refresh_token: expect.any(String) });
    }
  });

  it('are listed only at the front door, for persons and for companies at the portal', async () => {
    const { access_token } = await signsIn();

    await expect(world.automation.asks(tokens.listSessions, {}, { at: world.frontDoorUrl })).rejects.toMatchObject({
      key: 'auth.client_endpoint_forbidden',
    });
    await expect(world.stranger.asks(tokens.listSessions, {}, { at: world.regionUrl('eu'), token: access_token })).rejects.toMatchObject({
      key: 'region.rebase_required',
      extras: { api_url: world.frontDoorUrl },
    });
    const atPortal = await signIn(portal(world), world.acme, world.stranger);
    expect((await lists(atPortal.access_token)).items).toContainEqual(expect.objectContaining({ client_id: 'app_portal' }));
  });

  describe("an operator's control of sessions", () => {
    const asks = async <T>(work: (operator: Awaited<ReturnType<World['operator']>>) => Promise<T>) =>
      work(await world.operator('platform'));

    it("ends a user's sessions at every base, and the user can sign in again", async () => {
      const { access_token } = await signsIn();

      const { sessions } = await asks((operator) => operator.request(OPERATOR.endSessions, {}, { user_id: ana.user_id }));
      expect(sessions).toBeGreaterThan(0);
      await isOver(access_token);
      await expect(signsIn()).resolves.toBeDefined();
      await expect(asks((operator) => operator.request(OPERATOR.endSessions, {}, { user_id: 'usr_nobody' }))).rejects.toMatchObject({
        key: 'request.invalid',
      });
    });

    it('publishes every ended session that may still have a valid token, even thousands of them', async () => {
      const { user_id } = await world.signsUp({ type: 'person', region: 'eu' });
      const [used, unused] = [1200, 2000];
      const add = (name: string, sessions: number, usedMinutesAgo: number) =>
        execute(
          db,
          sql`
          insert into session (session_id, client_id, user_id, epoch, created_at, last_used_at)
          select ${name} || n, 'app_person', ${user_id}, 1, ${world.now}::timestamptz - interval '1 day',
                 ${world.now}::timestamptz - ${usedMinutesAgo}::integer * interval '1 minute'
            from generate_series(1, ${sessions}::integer) n`,
        );
      await add('ses_used_', used, 59);
      await add('ses_unused_', unused, 70);

      const { sessions } = await asks((operator) => operator.request(OPERATOR.endSessions, {}, { user_id }));

      expect(sessions).toBeGreaterThanOrEqual(used + unused);
      const published = await ProjectionReader.open(await world.operator('platform'), REVOCATIONS, silentLog);
      const ended = (name: string, of: number) =>
        Array.from({ length: of }, (_, n) => published.get(name + (n + 1))).filter(Boolean).length;
      expect({ used: ended('ses_used_', used), unused: ended('ses_unused_', unused) }).toEqual({ used, unused: 0 });
      expect(await many(db, sql`select from session where user_id = ${user_id} and ended_at is null`)).toEqual([]);
      await published.close();
    });

    it('ends the sessions of a disabled account, which cannot sign in until it is enabled', async () => {
      const { access_token } = await signsIn();
      const waiting = await codeFor(phone(world), ana, world.stranger);
      const disable = (disabled: boolean) =>
        asks((operator) => operator.request(OPERATOR.setAccountDisabled, {}, { user_id: ana.user_id, disabled }));

      await disable(true);
      await isOver(access_token);
      await expect(signsIn()).rejects.toMatchObject({ name: expect.any(String) });
      await expect(world.stranger.asks(tokens.issueToken, { body: waiting })).rejects.toMatchObject({ key: 'oauth.invalid_grant' });
      expect(await acted('account.disabled', ana.user_id)).toBe(1);

      await disable(false);
      await expect(signsIn()).resolves.toBeDefined();
    });

    it('refuses tokens and calls to a disabled client and to the clients of a disabled company', async () => {
      const { shop, acme } = world;
      await shop.getsToken();
      const calls = () => shop.asks(companyData.whoami, {});
      const refusalOf = (call: () => Promise<unknown>) =>
        eventually(() =>
          call().then(
            () => undefined,
            (error: { key: string }) => error.key,
          ),
        );
      const works = () =>
        eventually(() =>
          shop.asksWhoami().then(
            () => true,
            () => undefined,
          ),
        );

      for (const disable of [
        (disabled: boolean) => asks((bus) => bus.request(OPERATOR.setAccountDisabled, {}, { user_id: acme.user_id, disabled })),
        (disabled: boolean) => asks((bus) => bus.request(OPERATOR.setClientDisabled, {}, { client_id: shop.client_id, disabled })),
      ]) {
        await disable(true);
        expect(await refusalOf(calls)).toBe('auth.token_invalid');
        expect(await refusalOf(() => shop.getsToken())).toBe('oauth.invalid_client');
        await disable(false);
        await works();
      }
      const missing = asks((bus) => bus.request(OPERATOR.setClientDisabled, {}, { client_id: 'svc_none', disabled: true }));
      await expect(missing).rejects.toMatchObject({ key: 'request.invalid' });
    });
  });
});
