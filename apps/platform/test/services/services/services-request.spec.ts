import { companyData, OPERATOR, REQUEST_FIELDS, services, type Output, type Refusal, type Request } from '@codase/contracts';
import { comesTrue, World, type Backend, type Company } from '@codase/testing';
import { request } from 'undici';

type NewRow = Request<typeof services.publishRequestFields>['body']['fields'][number];

const ADDRESS: NewRow = {
  slug: 'home_address',
  label: 'Home address',
  type: 'address',
  mandatory: true,
  verified: true,
  verified_max_age_days: 90,
};
const BIRTH: NewRow = { slug: 'born', label: 'Date of birth', type: 'date_of_birth', audience: 'person', one_time: true };
const PLUGIN: NewRow = {
  slug: 'delivery',
  label: 'Delivery',
  type: 'plugin',
  plugin: { plugin_id: 'plug_1', field_type: 'delivery_address' },
};

const refused = (key: Refusal['key'], status: number) => expect.objectContaining({ key, status });

describe('the request fields of a service @spec D1-2.6 @spec D1-4.7', () => {
  let world: World;
  let acme: Company;
  let shop: Backend;
  let id: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    acme = world.acme;
    shop = world.shop;
    id = shop.service_id!;
  });
  afterAll(() => world?.close());

  const reads = () => acme.asks(services.readOwnRequestFields, { params: { id } });
  const publishes = (fields: NewRow[], config_token: string) =>
    acme.asks(services.publishRequestFields, { params: { id }, body: { config_token, fields } });
  const publishesNow = async (fields: NewRow[]): Promise<Output<typeof services.publishRequestFields>> =>
    publishes(fields, (await reads()).config_token);
  const slugs = async () => (await reads()).fields.map(({ slug }) => slug);

  it('are published as a whole, and read by their owner with audiences', async () => {
    const published = await publishesNow([ADDRESS, BIRTH]);

    expect(published.fields).toEqual([
      { ...ADDRESS, one_time: false, audience: 'both', plugin: null, service_field_id: expect.stringMatching(/^slot_\w{24}$/) },
      { ...BIRTH, mandatory: false, verified: false, plugin: null, service_field_id: expect.stringMatching(/^slot_\w{24}$/) },
    ]);
    expect(await reads()).toEqual(published);
  });

  it('are read by the data client without audiences and ids @spec D1-2.6', async () => {
    const { config_token } = await publishesNow([ADDRESS, BIRTH]);
    const { access_token, api_url } = await shop.getsToken();
    const answer = await request(`${api_url}${companyData.readRequestFields.path}`, {
      headers: { authorization: `Bearer ${access_token}` },
    });

    const { audience: _, ...birth } = BIRTH;
    const fields = [
      { ...ADDRESS, one_time: false, plugin: null },
      { ...birth, mandatory: false, verified: false, plugin: null },
    ];
    expect(await answer.body.json()).toEqual({ config_token, fields });
    expect(await shop.asks(companyData.readRequestFields, {})).toEqual({ config_token, fields });
  });

  it('keep the id of a slug that stays, in the new order', async () => {
    const before = await publishesNow([ADDRESS, BIRTH]);
    const after = await publishesNow([
      BIRTH,
      { ...ADDRESS, label: 'Where you live', verified_max_age_days: undefined },
      { slug: 'mail', label: 'E-mail', type: 'email' },
    ]);

    expect(after.fields.map(({ slug }) => slug)).toEqual(['born', 'home_address', 'mail']);
    expect(after.fields[1]).toMatchObject({ label: 'Where you live', service_field_id: before.fields[0]!.service_field_id });
    expect(after.fields[1]).not.toHaveProperty('verified_max_age_days');
    expect(after.fields[0]!.service_field_id).toBe(before.fields[1]!.service_field_id);
  });

  it('accept a type that the operator added @spec D1-2.5', async () => {
    const operator = await world.operator('platform');
    const row = {
      type: 'member_number',
      parent: 'text',
      label: 'Member number',
      input: null,
      lane: null,
      check: null,
      options: null,
      fields: null,
      validation: '[0-9]{6}',
      is_system: false,
    };
    await operator.request(OPERATOR.putFieldType, {}, row);
    const request = { slug: 'member', label: 'Member number', type: 'member_number' };

    await comesTrue(async () => expect((await publishesNow([request])).fields).toEqual([expect.objectContaining(request)]));
  });

  it('can be emptied again', async () => {
    await publishesNow([ADDRESS]);
    expect((await publishesNow([])).fields).toEqual([]);
  });

  it('cannot be overwritten with an outdated config_token @spec D1-7', async () => {
    const { config_token } = await publishesNow([ADDRESS]);
    await publishes([BIRTH], config_token);

    await expect(publishes([ADDRESS], config_token)).rejects.toEqual(refused('services.config_conflict', 409));
    await expect(publishes([ADDRESS], '1')).rejects.toEqual(refused('services.config_conflict', 409));
    expect(await slugs()).toEqual(['born']);
  });

  it('are published by only one of ten concurrent requests', async () => {
    const { config_token } = await reads();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, nth) => publishes([{ ...BIRTH, slug: `born_${nth}` }], config_token)),
    );

    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as Refusal).key] : []));
    expect(lost).toEqual(Array(9).fill('services.config_conflict'));
    expect(await slugs()).toEqual([`born_${outcomes.findIndex(({ status }) => status === 'fulfilled')}`]);
  });

  it.each<[string, NewRow[], Refusal['key']]>([
    ['a type that the registry does not have', [{ ...BIRTH, type: 'shoe_size' }], 'services.request_field_invalid'],
    ['a choice without options', [{ ...BIRTH, type: 'select' }], 'services.request_field_invalid'],
    ['a slug twice', [BIRTH, { ...ADDRESS, slug: 'born' }], 'services.request_field_invalid'],
    ['a plugin nobody has', [PLUGIN], 'services.request_field_plugin_invalid'],
    ['the type plugin without a plugin', [{ ...PLUGIN, plugin: null }], 'services.request_field_plugin_invalid'],
    ['a plugin on another type', [{ ...PLUGIN, type: 'text' }], 'services.request_field_plugin_invalid'],
    ['a slug with blanks', [{ ...BIRTH, slug: 'date of birth' }], 'request.invalid'],
    ['too many rows', Array.from({ length: REQUEST_FIELDS + 1 }, (_, nth) => ({ ...BIRTH, slug: `born_${nth}` })), 'request.invalid'],
  ])('are refused with %s, and stay unchanged', async (_, fields, key) => {
    const before = await publishesNow([ADDRESS]);

    await expect(publishes([ADDRESS, ...fields], before.config_token)).rejects.toEqual(refused(key, 400));
    expect(await reads()).toEqual(before);
  });

  it('are not found by another company', async () => {
    const neighbour = await world.signsUp({ type: 'company', region: 'eu' });
    const { config_token } = await reads();

    await expect(neighbour.asks(services.readOwnRequestFields, { params: { id } })).rejects.toEqual(refused('services.not_found', 404));
    await expect(neighbour.asks(services.publishRequestFields, { params: { id }, body: { config_token, fields: [] } })).rejects.toEqual(
      refused('services.not_found', 404),
    );
  });

  describe('the log of a service @spec D1-6.3', () => {
    const changes: [string, () => Promise<unknown>][] = [
      ['share_code_changed', () => acme.asks(services.changeShareCode, { params: { id }, body: { share_code: 'LOGGED' } })],
      ['admin_email_changed', () => acme.asks(services.changeAdminEmail, { params: { id }, body: { admin_email: 'log@acme.example' } })],
      [
        'number_matching_changed',
        () => acme.asks(services.changeNumberMatching, { params: { serviceId: id }, body: { number_matching: true } }),
      ],
      [
        'share_config_changed',
        () => acme.asks(services.changeShareConfig, { params: { id }, body: { audience: 'b2b', fields: [], photo_id: null } }),
      ],
      ['request_fields_published', () => publishesNow([ADDRESS])],
    ];
    const newest = async (limit: number) => (await acme.asks(services.readServiceLogs, { params: { id }, query: { limit } })).items;

    it.each(changes)('has an entry of the kind %s', async (kind, change) => {
      await world.passes({ seconds: 1 });
      await change();

      const [entry] = await newest(1);
      expect(entry).toMatchObject({ kind, webhook_id: null, id: expect.stringMatching(/^log_/) });
      expect(entry!.message).not.toContain('@');
    });

    it('has no entry for a refused change', async () => {
      const before = await newest(3);
      await expect(publishes([PLUGIN], (await reads()).config_token)).rejects.toThrow('you have no plugin plug_1');
      expect(await newest(3)).toEqual(before);
    });

    it('is read in pages, newest first, by the owner and the data client alike', async () => {
      const all = await newest(200);
      const pages = [await shop.asks(companyData.readLogs, { query: { limit: 3 } })];
      while (pages.at(-1)!.next_cursor !== null && pages.length < 20)
        pages.push(await shop.asks(companyData.readLogs, { query: { limit: 3, cursor: pages.at(-1)!.next_cursor! } }));

      expect(pages.length).toBeGreaterThan(2);
      expect(pages.flatMap(({ items }) => items)).toEqual(all);
      expect(all.map(({ at }) => at)).toEqual(
        all
          .map(({ at }) => at)
          .toSorted()
          .toReversed(),
      );
    });

    it('refuses a cursor that it did not issue', async () => {
      await expect(shop.asks(companyData.readLogs, { query: { cursor: 'page2' } })).rejects.toEqual(refused('request.invalid', 400));
      await expect(acme.asks(services.readServiceLogs, { params: { id }, query: { cursor: 'page2' } })).rejects.toEqual(
        refused('request.invalid', 400),
      );
    });

    it('is not found by another company', async () => {
      const neighbour = await world.signsUp({ type: 'company', region: 'eu' });
      await expect(neighbour.asks(services.readServiceLogs, { params: { id }, query: {} })).rejects.toEqual(
        refused('services.not_found', 404),
      );
    });
  });
});
