import { OpenedReply, plugins, SIGN_IN_SUBJECTS, tokens, type PluginPass } from '@codase/contracts';
import { importValuePublicKey, sealValue } from '@codase/crypto';
import { openValue, type ReplyKey } from '@codase/crypto/open';
import { readPluginAnswer, writePluginAnswer, type PluginUse } from '@codase/domain/flow-language';
import { execute, many, sql } from '@codase/runtime/db';
import { World, type NewSignInApp, type Person, type SignInAppOnce } from '@codase/testing';
import { replyKey as replyKeyInTurn } from '@codase/testing/keys';
import type { DataSource } from 'typeorm';
import { refused } from '../../sharing/connections/connections-world.ts';
import { browses, fillsFormWithCookies, proof } from '../../support/oauth-visitor.ts';

const BACK = 'https://acme.example/back';
const PLACE = 'country_and_subdivision';

describe('sign-in claims that are answered by a plugin @spec D1-2.5 @spec D1-4.6 @gap D1-4.6', () => {
  let world: World;
  let region: DataSource;
  let ana: Person;
  let ben: Person;
  let replyKey: ReplyKey;
  let plugin: string;
  let forwarder: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    [ana, ben] = [world.person('ANA'), world.person('BEN')];
    [replyKey, region] = await Promise.all([replyKeyInTurn(), world.opensDatabase('region_eu'), world.starts('forwarder')]);
    const { id, registry_pass } = await world.acme.asks(plugins.switchOnBuiltin, { params: { key: 'places' } });
    [plugin, forwarder] = [id, registry_pass.forwarder_url];
    await world.stranger.asks(plugins.refreshPlugin, { body: { pass: registry_pass.pass } }, { at: forwarder });
  });
  afterAll(() => world?.close());

  const claim = (slug = 'place') => ({ slug, label: 'Place', type: 'plugin', plugin: { plugin_id: plugin, field_type: PLACE } });
  const appOf = (over: Partial<NewSignInApp> = {}) =>
    world.acme.signInApps.creates({ redirect_uris: [BACK], claims: [claim()], claims_delivery: 'plaintext', ...over });

  /** Begins a sign-in in a browser. Returns it with what the app needs to exchange its code. */
  async function begins({ client_id }: SignInAppOnce, person: Person) {
    const { code_verifier, code_challenge } = proof();
    const query = { client_id, redirect_uri: BACK, response_type: 'code', code_challenge, code_challenge_method: 'S256' };
    const browser = await fillsFormWithCookies(new URL(`${world.frontDoorUrl}/oauth2/authorize?${new URLSearchParams(query)}`), person);
    return { ...browser, code_verifier, waiting: (await person.phone.signIns()).at(-1)! };
  }
  type Begun = Awaited<ReturnType<typeof begins>>;

  /** Presses the button of the waiting page, and exchanges the code. Returns the values that the app gets. */
  async function exchanges({ client_id, client_secret }: SignInAppOnce, { at, cookie, code_verifier }: Begun) {
    const { headers } = await browses(String(at), {}, { cookie });
    const code = new URL(headers['location'] as string).searchParams.get('code')!;
    const body = { grant_type: 'authorization_code', client_id, client_secret, code, redirect_uri: BACK, code_verifier };
    const { claim_values } = await world.stranger.asks(tokens.issueToken, { body });
    return claim_values as Record<string, string>;
  }

  /** Asks the plugin a question. Returns its reply. */
  async function asks(pass: PluginPass, question: object): Promise<OpenedReply> {
    const { id, public_key } = pass.plugins[0]!;
    const text = JSON.stringify({ field_type: PLACE, ...question, reply_key: replyKey.reply_key });
    const sealed = await sealValue(await importValuePublicKey(public_key!), text);
    const { reply } = await world.stranger.asks(
      plugins.callPlugin,
      { body: { pass: pass.pass, plugin_id: id, request: sealed } },
      { at: forwarder },
    );
    return OpenedReply.parse(JSON.parse(await openValue(replyKey.privateKey, reply)));
  }
  /** Fills a claim as a phone does: it searches, picks an option, and asks the plugin for the outputs. */
  async function fills(pass: PluginPass, slug: string): Promise<string> {
    const found = (await asks(pass, { op: 'options', block: 'country', query: 'austria' })) as { options: { id: string; label: string }[] };
    const [country] = found.options;
    const { outputs } = (await asks(pass, { op: 'outputs', picks: { country: country!.id } })) as {
      outputs: Record<string, string | null>;
    };
    return writePluginAnswer(pass.specs[slug] as PluginUse, { picks: { country: country! }, values: {}, outputs });
  }

  it.each([
    ['a person of the region of the company', () => ana],
    ['a person of another region', () => ben],
  ])("are answered by %s, with a pass signed by the company's region", async (_, who) => {
    const app = await appOf();
    const begun = await begins(app, who());
    const { id, claims } = begun.waiting;
    expect(claims).toEqual([{ ...claim(), required: true }]);

    const pass = await who().phone.passForSignIn(id);
    expect(pass.specs).toEqual({
      place: { plugin_id: plugin, field_type: PLACE, snapshot: expect.objectContaining({ plugin_name: 'Places' }), inputs: {} },
    });
    await who().phone.approvesSignIn(id, { place: await fills(pass, 'place') });
    const { place } = await exchanges(app, begun);

    expect(readPluginAnswer(place!)).toMatchObject({
      plugin: 'Places',
      blocks: [{ key: 'country', pick: { id: 'AT' } }, expect.anything()],
    });
  });

  it("reach the company sealed when the app's delivery is encrypted", async () => {
    const app = await appOf({ claims_delivery: 'encrypted' });
    const begun = await begins(app, ben);
    const answer = await fills(await ben.phone.passForSignIn(begun.waiting.id), 'place');

    await ben.phone.approvesSignIn(begun.waiting.id, { place: await ben.sealsFor(begun.waiting as never, answer) });
    const { place } = await exchanges(app, begun);

    expect(await world.acme.opens(place!)).toBe(answer);
  });

  it.each([
    ['a text', 'Austria'],
    ['a list', '[]'],
    ['nothing', ''],
  ])('refuse %s as a value, since it is not a plugin answer', async (_, place) => {
    const { waiting } = await begins(await appOf(), ana);

    await expect(ana.phone.approvesSignIn(waiting.id, { place })).rejects.toEqual(refused('sign_ins.values_invalid', 400));
    await ana.phone.deniesSignIn(waiting.id);
  });

  it('get a pass without plugins when no claim uses one', async () => {
    const { waiting } = await begins(await appOf({ claims: [{ slug: 'email', label: 'E-mail', type: 'email' }] }), ben);

    expect(await ben.phone.passForSignIn(waiting.id)).toMatchObject({ plugins: [], specs: {} });
    await ben.phone.deniesSignIn(waiting.id);
  });

  it('get a pass only for their own person, while the sign-in is pending', async () => {
    const { waiting } = await begins(await appOf(), ana);

    await expect(ben.phone.passForSignIn(waiting.id)).rejects.toEqual(refused('sign_ins.not_found', 404));
    await expect(ana.phone.passForSignIn('ses_unknown')).rejects.toEqual(refused('sign_ins.not_found', 404));
    await ana.phone.deniesSignIn(waiting.id);
    await expect(ana.phone.passForSignIn(waiting.id)).rejects.toEqual(refused('sign_ins.not_found', 404));
  });

  it('get no pass once the app no longer uses the plugin or the plugin no longer offers the field type', async () => {
    const app = await appOf({ claims: [claim('one'), claim('two')] });
    const { waiting } = await begins(app, ben);
    expect(Object.keys((await ben.phone.passForSignIn(waiting.id)).specs)).toEqual(['one', 'two']);
    const described = sql`select description from plugin where plugin_id = ${plugin}`;
    const [before] = await many<{ description: object }>(region, described);

    await execute(region, sql`update plugin set description = jsonb_set(description, '{field_types}', '[]') where plugin_id = ${plugin}`);
    expect(await ben.phone.passForSignIn(waiting.id)).toMatchObject({ plugins: [], specs: {} });
    await execute(region, sql`update plugin set description = ${JSON.stringify(before!.description)}::jsonb where plugin_id = ${plugin}`);

    await world.acme.signInApps.changes(app.id, { redirect_uris: [BACK], claims: [] });
    expect(await ben.phone.passForSignIn(waiting.id)).toMatchObject({ plugins: [], specs: {} });
    await ben.phone.deniesSignIn(waiting.id);
  });

  it('get another region no pass for a plugin that no claim uses, or a company at home elsewhere', async () => {
    const app = await appOf({ claims: [] });
    const us = await world.busAs('platform-region-us');
    const query = {
      company_user_id: world.acme.user_id,
      app_id: app.id,
      claims: [{ slug: 'place', plugin_id: plugin, field_type: PLACE }],
    };

    expect(await us.request(SIGN_IN_SUBJECTS.claimPass, { region: 'eu' }, query)).toMatchObject({ plugins: [], specs: {} });
    const elsewhere = us.request(SIGN_IN_SUBJECTS.claimPass, { region: 'eu' }, { ...query, company_user_id: world.bolt.user_id });
    await expect(elsewhere).rejects.toMatchObject({ key: 'service.unavailable' });
  });
});
