import { pdfThatShows, type Company } from '@codase/testing';
import {
  account,
  companyData,
  DEFINITION_BYTES,
  flowAuthoring,
  FRONT_DOOR,
  OPERATOR,
  Refusal,
  services,
  webhooks,
} from '@codase/contracts';
import { execute, many, one, sql } from '@codase/runtime/db';
import { EMPTY, until } from '../../support/platform-internals.ts';
import { envelope } from '../../sharing/connections/connections-world.ts';
import { MovingWorld } from '../../support/moving-world.ts';
import { ORDER_WITH_CONTRACT } from '../../services/flows/order-flow.ts';

const LIVES_IN_EU = { front_door: 'eu', eu: 'here', us: undefined };
const LIVES_IN_US = { front_door: 'us', eu: undefined, us: 'here' };

describe("a company's move to another region @spec D1-5.6 @gap D1-5.6", () => {
  let moving: MovingWorld;
  beforeAll(async () => {
    moving = await MovingWorld.open();
  });
  afterAll(() => moving?.close());

  const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });
  const inRegion = (region: 'eu' | 'us') => ({ at: moving.world.regionUrl(region) });

  /** Everything that a company can read of itself. */
  const everythingOf = async (company: Company) => {
    const { items } = await company.asks(services.listServices, { query: {} });
    const perService = items.map(async ({ id }) => ({
      fields: await company.asks(services.readOwnRequestFields, { params: { id } }),
      webhooks: await company.asks(webhooks.listWebhooks, { params: { id } }),
      logs: await company.asks(services.readServiceLogs, { params: { id }, query: {} }),
      share: await company.asks(services.readShareConfig, { params: { id } }),
    }));
    const flows = await company.asks(flowAuthoring.listFlows, { query: {} });
    const files = flows.items.map(({ id: flowId }) =>
      company.asks(flowAuthoring.readTemplate, { params: { flowId, assetKey: 'contract' } }),
    );
    const profile = await company.asks(account.readProfile, {});
    const keys = await company.asks(account.readAccountKeys, {});
    return { profile, keys, items, flows, files: await Promise.all(files), perService: await Promise.all(perService) };
  };

  it('takes all data of the company along and leaves none behind', async () => {
    const { internals } = moving;
    const company = await moving.world.signsUp({ type: 'company', region: 'eu', level: 'pro' });
    const { id } = await moving.creates(company, 'Club');
    const flow = await company.flows.begins(id);
    await company.flows.uploads(flow, 'contract', envelope('application/pdf', pdfThatShows('{{total}}').toString('latin1')));
    await company.flows.publishes(id, ORDER_WITH_CONTRACT, flow);
    await company.asks(webhooks.createWebhook, { params: { id }, body: { url: 'https://acme.example/hook' } });
    const { config_token } = await company.asks(services.readOwnRequestFields, { params: { id } });
    const fields = [
      { slug: 'name', label: 'Name', type: 'text' },
      { slug: 'age', label: 'Age', type: 'integer' },
    ];
    await company.asks(services.publishRequestFields, { params: { id }, body: { config_token, fields } });
    await internals.logs('region_eu', company.user_id, id, { entries: 500, length: 2000 });
    const seen = await everythingOf(company);
    const before = await internals.holdings('eu', company.user_id);

    expect(await moving.moves(company, 'us')).toEqual({ from: 'eu', to: 'us' });
    await moving.arrives(company);

    expect(await everythingOf(company)).toEqual(seen);
    expect(await internals.holdings('us', company.user_id)).toEqual(before);
    expect(before).toMatchObject({ profile: { rows: 1 }, service: { rows: 1 }, webhook: { rows: 1 }, request_field: { rows: 2 } });
    expect(before).toMatchObject({ flow: { rows: 1 }, flow_version: { rows: 1 }, flow_file: { rows: 1 }, flow_asset: { rows: 2 } });
    expect(before['service_log']!.rows).toBeGreaterThan(500);
    for (const left of Object.values(await internals.holdings('eu', company.user_id))) expect(left).toEqual(EMPTY);
    expect(await internals.homesOf(company.user_id)).toEqual(LIVES_IN_US);
  });

  it('takes along the longest draft, even one that grows as much as possible when it is escaped in messages', async () => {
    const company = await moving.world.signsUp({ type: 'company', region: 'eu', level: 'pro' });
    const { id: flow_id } = await company.flows.begins((await moving.creates(company, 'Long flows')).id);
    const empty = JSON.stringify({ text: '' });
    const draft = JSON.stringify({ text: '"'.repeat((DEFINITION_BYTES - empty.length - 1) / 2) });
    const [eu, us] = [moving.internals.database('region_eu'), moving.internals.database('region_us')];
    await execute(eu, sql`update flow set draft = ${draft} where flow_id = ${flow_id}`);

    await moving.moves(company, 'us');
    await moving.arrives(company);

    expect(await moving.internals.homesOf(company.user_id)).toEqual(LIVES_IN_US);
    const same = sql`select draft = ${draft} as same, octet_length(draft) as bytes from flow where flow_id = ${flow_id}`;
    expect(await one(us, same)).toEqual({ same: true, bytes: DEFINITION_BYTES - 1 });
  });

  it("keeps the company's tokens valid in the new region, and can be reversed", async () => {
    const { acme, shop, automation } = moving.world;
    const before = await moving.internals.holdings('eu', acme.user_id);
    const { access_token: data } = await shop.getsToken();
    const { access_token: automated } = await automation.getsToken();
    const { access_token: session } = await acme.signsIn();

    await moving.moves(acme, 'us');
    await moving.arrives(acme);

    const [eu, us] = [inRegion('eu'), inRegion('us')];
    const thereNow = expect.objectContaining({ key: 'region.rebase_required', status: 421, extras: { api_url: us.at } });
    await expect(shop.asks(companyData.whoami, {}, { ...eu, token: data })).rejects.toEqual(thereNow);
    await expect(automation.asks(account.readProfile, {}, { ...eu, token: automated })).rejects.toEqual(thereNow);
    await expect(acme.asks(account.readProfile, {}, { ...eu, token: session })).rejects.toEqual(thereNow);
    expect(await shop.asks(companyData.whoami, {}, { ...us, token: data })).toMatchObject({ service_id: shop.service_id });
    expect(await automation.asks(account.readProfile, {}, { ...us, token: automated })).toMatchObject({ moving_to: null });
    expect(await acme.asks(account.readAccount, {}, { ...us, token: session })).toMatchObject({ region: 'us', api_url: us.at });
    expect((await shop.getsToken()).api_url).toBe(us.at);

    await moving.moves(acme, 'eu');
    await moving.arrives(acme);

    expect(await moving.internals.holdings('eu', acme.user_id)).toEqual(before);
    expect(await moving.internals.homesOf(acme.user_id)).toEqual(LIVES_IN_EU);
    expect(await shop.asks(companyData.whoami, {}, { ...eu, token: data })).toMatchObject({ service_id: shop.service_id });
  });

  it('leaves persons and other companies where they are', async () => {
    const neighbour = await moving.newCompany();
    await moving.creates(neighbour, 'Next door');
    const before = await everythingOf(neighbour);
    const company = await moving.newCompany();

    await moving.moves(company, 'us');
    await moving.arrives(company);

    expect(await everythingOf(neighbour)).toEqual(before);
    expect(await moving.world.person('ANA').asks(account.readAccount, {}, inRegion('eu'))).toMatchObject({ region: 'eu' });
  });

  describe('a request to move', () => {
    it.each([
      ['a wrong password', 'not the password', 'account.password_wrong', 403],
      ['a password that is no text', 7 as never, 'request.invalid', 400],
    ] as const)('is refused with %s', async (_, password, key, status) => {
      const pending = moving.world.acme.asks(account.migrateRegion, { body: { password, region: 'us' } });

      await expect(pending).rejects.toEqual(refused(key, status));
    });

    it.each([
      ['to a region that is none', 'mars', 'account.region_unknown', 400],
      ['to where it lives', 'eu', 'account.moving', 409],
      ['to what is no name of a region', 'Mars!', 'request.invalid', 400],
    ] as const)('a move %s is refused', async (_, region, key, status) => {
      await expect(moving.moves(moving.world.acme, region)).rejects.toEqual(refused(key, status));
    });

    it('is refused for a person', async () => {
      const { user_id } = moving.world.person('ANA');
      const pending = moving.operator.request(FRONT_DOOR.beginMove, { region: 'eu' }, { user_id, to: 'us' });

      await expect(pending).rejects.toMatchObject({ key: 'account.moving' });
    });
  });

  describe('a company that is moving', () => {
    it('can read but neither write nor move again until it has arrived', async () => {
      const company = await moving.newCompany();
      await moving.creates(company, 'Before');
      const letGo = await moving.internals.hold('region_us', sql`lock table service in access exclusive mode`);
      await moving.moves(company, 'us');
      await until(async () => (await moving.internals.homesOf(company.user_id)).eu === 'leaving', 'the company leaves');

      await expect(moving.creates(company, 'Meanwhile')).rejects.toMatchObject({ key: 'db.writes_paused', status: 503, retryAfter: 30 });
      expect(await moving.servicesOf(company)).toEqual(['Before']);
      expect(await company.asks(account.readProfile, {})).toMatchObject({ moving_to: 'us' });
      await expect(moving.moves(company, 'us')).rejects.toEqual(refused('account.moving', 409));
      const stillThere = { key: 'region.rebase_required', extras: { api_url: inRegion('eu').at } };
      await expect(company.asks(account.readProfile, {}, inRegion('us'))).rejects.toMatchObject(stillThere);

      await letGo();
      await moving.arrives(company);
      await moving.creates(company, 'After');
      expect(await moving.servicesOf(company)).toEqual(['After', 'Before']);
    });

    it('can write in the new region only after the old region has removed its rows', async () => {
      const company = await moving.newCompany();
      const { id } = await moving.creates(company, 'Before');
      const letGo = await moving.internals.hold('region_eu', sql`select from service where service_id = ${id} for share`);
      await moving.moves(company, 'us');
      await until(async () => (await moving.internals.homesOf(company.user_id)).front_door === 'us', 'the front door flips');

      await expect(moving.creates(company, 'Too early', inRegion('us'))).rejects.toEqual(refused('db.writes_paused', 503));
      await expect(moving.creates(company, 'Too late', inRegion('eu'))).rejects.toEqual(refused('db.writes_paused', 503));
      expect((await company.asks(services.listServices, { query: {} }, inRegion('us'))).items).toHaveLength(1);

      await letGo();
      await moving.arrives(company);
      expect(await moving.servicesOf(company)).toEqual(['Before']);
    });

    it('has its writes paused only after a write in progress has finished', async () => {
      const company = await moving.newCompany();
      const letGo = await moving.internals.hold('region_eu', sql`lock table service in share mode`);
      const written = moving.creates(company, 'Under way');
      await moving.internals.someoneWaits('region_eu');
      await moving.moves(company, 'us');
      await moving.internals.someoneWaits('region_eu', 'advisory');

      expect(await moving.internals.stepOf(company.user_id)).toBe('pausing');
      await letGo();
      await written;
      await moving.arrives(company);
      expect(await moving.servicesOf(company)).toEqual(['Under way']);
    });

    it('loses no write that was acknowledged, and keeps none that was refused', async () => {
      const company = await moving.newCompany();
      const { id } = await moving.creates(company, 'First');
      await moving.internals.logs('region_eu', company.user_id, id, { entries: 1000, length: 200 });
      const acknowledged = ['First'];
      const over = new AbortController();
      const passOver = (error: unknown) => {
        if (!(error instanceof Refusal) || !['db.writes_paused', 'region.rebase_required'].includes(error.key)) throw error;
      };
      const write = async (writer: number) => {
        for (let n = 0; !over.signal.aborted; n++) {
          await moving.creates(company, `${writer}/${n}`).then(({ name }) => acknowledged.push(name), passOver);
        }
      };

      const writers = [1, 2, 3].map(write);
      await until(async () => acknowledged.length > 10, 'some are written');
      await moving.moves(company, 'us');
      await moving.arrives(company);
      const before = acknowledged.length;
      await until(async () => acknowledged.length > before + 5, 'some more are written');
      over.abort();
      await Promise.all(writers);

      const tables = await many<{ name: string }>(
        moving.internals.database('region_us'),
        sql`
        select name from service where company_user_id = ${company.user_id}`,
      );
      expect(tables.map(({ name }) => name).toSorted()).toEqual(acknowledged.toSorted());
    });
  });

  describe('a move that cannot be completed', () => {
    const setPaused = (writes_paused: boolean) => moving.operator.request(OPERATOR.setMode, {}, { region: 'us', writes_paused });
    afterEach(() => setPaused(false));

    it('is cancelled while the new region saves nothing, and the new region later forgets the company', async () => {
      const company = await moving.newCompany();
      const homes = () => moving.internals.homesOf(company.user_id);
      await setPaused(true);
      await moving.moves(company, 'us');
      await until(async () => (await homes()).eu === 'leaving', 'the company leaves');

      await moving.comesAbout(async () => (await homes()).eu === 'here', 'the company stays');
      await moving.creates(company, 'Stayed');
      expect(await company.asks(account.readProfile, {})).toMatchObject({ moving_to: null });
      await moving.internals.reaches(company.user_id, 'forgetting');

      await setPaused(false);
      await moving.arrives(company);
      expect(await homes()).toEqual(LIVES_IN_EU);
      expect(await moving.servicesOf(company)).toEqual(['Stayed']);
    });

    it('is cancelled at once when a row is too large to send, and leaves nothing in the new region', async () => {
      const company = await moving.newCompany();
      const { id } = await moving.creates(company, 'Long log');
      await moving.internals.logs('region_eu', company.user_id, id, { entries: 1, length: 900_000 });

      await moving.moves(company, 'us');
      await moving.internals.reaches(company.user_id, undefined);

      expect(await moving.internals.homesOf(company.user_id)).toEqual(LIVES_IN_EU);
      for (const left of Object.values(await moving.internals.holdings('us', company.user_id))) expect(left).toEqual(EMPTY);
      await moving.creates(company, 'Goes on');
    });

    it('discards a copy that differs from the original, and makes another', async () => {
      const company = await moving.newCompany();
      const { user_id } = company;
      await moving.creates(company, 'Original');
      const letGo = await moving.internals.hold('region_eu', sql`lock table contact_field in access exclusive mode`);
      await moving.moves(company, 'us');
      await until(async () => (await moving.internals.homesOf(user_id)).us === 'arriving', 'the profile arrives');
      await execute(
        moving.internals.database('region_us'),
        sql`insert into contact_field values (${user_id}, 'stray', 'Stray', 'text', 'any')`,
      );
      await letGo();
      const setBack = sql`select from region_move where user_id = ${user_id} and step = 'copying' and due_at > started_at`;
      await until(async () => (await one(moving.internals.database('front_door'), setBack)) !== undefined, 'it is set back');

      expect((await moving.internals.homesOf(user_id)).front_door).toBe('eu');
      await moving.arrives(company);
      expect(await moving.internals.holdings('us', user_id)).toMatchObject({ service: { rows: 1 }, contact_field: EMPTY });
    });
  });
});
