import { OPERATOR, registry, type FieldTypeRow } from '@codase/contracts';
import { SYSTEM_ROWS } from '@codase/domain/field-types';
import { ProjectionReader } from '@codase/runtime/bus';
import { execute, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually, World, type Backend } from '@codase/testing';
import { IBAN as iban } from '@codase/testing/operator-field-type';
import { FIELD_TYPES, FieldTypesStore } from '../../../src/services/registry/index.ts';
import { OperatorFieldTypes } from '../../../src/services/registry/operator-field-types.service.ts';
import { FRONT_DOOR_ENTITIES } from '../../../src/capabilities.ts';

describe('the registry @spec D1-2.5 @spec D1-4.4', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
  });
  afterAll(() => world?.close());

  describe('the registry of field types', () => {
    const puts = async (row: FieldTypeRow) => (await world.operator('platform')).request(OPERATOR.putFieldType, {}, row);

    it('is a bare array of raw rows, the same for every caller', async () => {
      const rows = await world.shop.asks(registry.listFieldTypes, {});

      expect(rows).toEqual(SYSTEM_ROWS);
      for (const who of [world.automation, world.acme, world.bolt, world.person('ANA')]) {
        expect(await who.asks(registry.listFieldTypes, {})).toEqual(rows);
      }
    });

    it('grows by a row that the operator adds, in every region @spec D1-9', async () => {
      await puts(iban);
      expect(await knows(world.shop, 'iban')).toEqual(iban);
      expect(await knows(world.boltShop, 'iban')).toEqual(iban);

      await puts({ ...iban, type: 'swedish_iban', parent: 'iban', validation: 'SE[0-9]+' });
      await knows(world.shop, 'swedish_iban');
      const field = { params: { slug: 'refunds_to' }, body: { label: 'Refunds to', type: 'swedish_iban' } };
      expect(await world.acme.asks(registry.putContactField, field)).toMatchObject({ type: 'swedish_iban' });
    });

    it('refuses a row that would break existing rows, and says why', async () => {
      const because = (reason: string) => ({ key: 'request.invalid', message: expect.stringContaining(reason) as string });

      await expect(puts({ ...iban, type: 'email' })).rejects.toMatchObject(because('type of the platform'));
      await expect(puts({ ...iban, parent: 'number' })).rejects.toMatchObject(because('never change'));
      await expect(puts({ ...iban, type: 'orphan', parent: 'nothing' })).rejects.toMatchObject(because('has no row'));

      const rows = await world.shop.asks(registry.listFieldTypes, {});
      expect(rows.filter(({ is_system }) => !is_system).map(({ type }) => type)).toEqual(['iban', 'swedish_iban']);
    });

    it('accepts a new label for an existing row', async () => {
      await puts({ ...iban, label: 'Bank account' });

      expect(await eventually(async () => ((await knows(world.shop, 'iban')).label === 'Bank account' ? true : undefined))).toBe(true);
    });

    it('keeps a row that is put while another front door starts', async () => {
      const bus = await world.operator('platform');
      const db = await world.opensDatabase('front_door', { pool: 2, entities: FRONT_DOOR_ENTITIES });
      const rows = await ProjectionReader.open(bus, FIELD_TYPES, silentLog);
      class SlowStore extends FieldTypesStore {
        override async all() {
          const read = await super.all();
          await puts({ ...iban, label: 'Newest' });
          return read;
        }
      }
      const starting = new OperatorFieldTypes(new SlowStore(db), db, bus, silentLog, rows, {} as never);

      await starting.onApplicationBootstrap();

      await puts({ ...iban, type: 'last_put' }); // what follows a change arrives after it
      await eventually(async () => rows.get('last_put'));
      expect(rows.get('iban')).toMatchObject({ label: 'Newest' });
      await starting.onApplicationShutdown();
      await db.destroy();
    });

    /** Waits for a row, which a region learns a moment after the front door has it. */
    const knows = (who: Backend, type: string) =>
      eventually(async () => (await who.asks(registry.listFieldTypes, {})).find((row) => row.type === type));
  });

  describe('the registry of contact fields', () => {
    const slugs = async (who: { asks: World['shop']['asks'] }, usertype?: 'person' | 'company' | 'any') =>
      (await who.asks(registry.listContactFields, { query: { usertype } })).items.map(({ slug }) => slug);

    it("lists the platform's fields, filtered by usertype", async () => {
      expect(await slugs(world.shop)).toEqual(expect.arrayContaining(['first_name', 'vat_number', 'email']));
      expect(await slugs(world.shop, 'person')).toEqual(expect.arrayContaining(['first_name', 'email']));
      expect(await slugs(world.shop, 'person')).not.toContain('vat_number');
      expect(await slugs(world.shop, 'company')).toEqual(expect.arrayContaining(['vat_number', 'email']));
      expect(await slugs(world.shop, 'company')).not.toContain('passport');
      expect(await slugs(world.shop, 'any')).toContain('email');
      expect(await slugs(world.shop, 'any')).not.toContain('first_name');
      await expect(slugs(world.shop, 'robot' as never)).rejects.toMatchObject({ key: 'request.invalid', status: 400 });
    });

    it("accepts an owner's own field, which only the owner and its clients see", async () => {
      const body = { label: 'Shoe size', type: 'select', usertype: 'person' as const, options: ['36', '37', '38'] };
      const field = { slug: 'shoe_size', ...body, is_system: false };

      expect(await world.acme.asks(registry.putContactField, { params: { slug: 'shoe_size' }, body })).toEqual(field);

      for (const who of [world.acme, world.automation, world.shop]) {
        expect((await who.asks(registry.listContactFields, { query: {} })).items).toContainEqual(field);
      }
      for (const who of [world.bolt, world.boltShop, world.person('ANA')]) expect(await slugs(who)).not.toContain('shoe_size');
      expect(await slugs(world.shop, 'company')).not.toContain('shoe_size');
    });

    it.each([
      ['an account client', () => world.automation],
      ['a person', () => world.person('ANA')],
      ['a company elsewhere', () => world.bolt],
    ])('lets %s change and delete its own field', async (_, who) => {
      const at = { params: { slug: 'nickname' } };
      await who().asks(registry.putContactField, { ...at, body: { label: 'Nickname', type: 'text' } });

      expect(await who().asks(registry.putContactField, { ...at, body: { label: 'Pet name', type: 'text', usertype: 'person' } })).toEqual({
        slug: 'nickname',
        label: 'Pet name',
        type: 'text',
        usertype: 'person',
        options: null,
        is_system: false,
      });

      await who().asks(registry.deleteContactField, at);
      expect(await slugs(who())).not.toContain('nickname');
      await expect(who().asks(registry.deleteContactField, at)).rejects.toMatchObject({ key: 'contact_fields.not_found', status: 404 });
    });

    it('refuses to change the type of a field', async () => {
      const at = { params: { slug: 'motto' } };
      const before = await world.acme.asks(registry.putContactField, { ...at, body: { label: 'Motto', type: 'text' } });

      const retyped = world.acme.asks(registry.putContactField, { ...at, body: { label: 'Motto', type: 'number' } });
      await expect(retyped).rejects.toMatchObject({ key: 'contact_fields.type_changed', status: 409 });
      expect((await world.acme.asks(registry.listContactFields, { query: {} })).items).toContainEqual(before);
    });

    it.each([
      ['a type nobody knows', { label: 'X', type: 'shoe' }, 'request.invalid'],
      ['a choice without options', { label: 'X', type: 'select' }, 'request.invalid'],
      ['a blank label', { label: ' ', type: 'text' }, 'request.invalid'],
      ['another owner', { label: 'X', type: 'text', owner_user_id: 'usr_demo_bolt' }, 'request.invalid'],
    ])('refuses a field with %s', async (_, body, key) => {
      const put = world.acme.asks(registry.putContactField, { params: { slug: 'wrong' }, body: body as never });

      await expect(put).rejects.toMatchObject({ key });
      expect(await slugs(world.acme)).not.toContain('wrong');
    });

    it('accepts at most five hundred fields of one owner @gap D1-8', async () => {
      const chiara = world.person('CHIARA');
      const db = await world.opensDatabase('region_eu');
      await execute(
        db,
        sql`
        insert into contact_field (owner_user_id, slug, label, type, usertype)
        select ${chiara.user_id}, 'field_' || n, 'Field', 'text', 'any' from generate_series(1, 500) n`,
      );
      await db.destroy();
      const puts = (slug: string) => chiara.asks(registry.putContactField, { params: { slug }, body: { label: 'Another', type: 'text' } });

      await expect(puts('field_501')).rejects.toMatchObject({
        key: 'request.invalid',
        message: expect.stringContaining('delete one') as string,
      });
      expect(await puts('field_500')).toMatchObject({ label: 'Another' });
      expect(await slugs(chiara)).not.toContain('field_501');
    });

    it("does not find the platform's fields or invalid slugs when they are to be changed", async () => {
      const missing = { key: 'contact_fields.not_found', status: 404 };
      for (const slug of ['email', '1st', 'a.b']) {
        const put = world.acme.asks(registry.putContactField, { params: { slug }, body: { label: 'Mine', type: 'email' } });
        await expect(put).rejects.toMatchObject(missing);
        await expect(world.acme.asks(registry.deleteContactField, { params: { slug } })).rejects.toMatchObject(missing);
      }
    });
  });

  describe('the registry of public keys', () => {
    it('returns the keys of persons of its own region and of another region', async () => {
      for (const who of [world.shop, world.automation, world.acme, world.person('CHIARA')]) {
        for (const share_code of ['ANA', 'BEN']) {
          const { public_key } = world.person(share_code);
          expect(await who.asks(registry.readPublicKey, { params: { shareCode: share_code } })).toEqual({ share_code, public_key });
        }
      }
    });

    it('returns the account keys of companies, which can be customers too', async () => {
      for (const [share_code, { public_key }] of [
        ['ACME', world.acme],
        ['BOLT', world.bolt],
      ] as const)
        expect(await world.shop.asks(registry.readPublicKey, { params: { shareCode: share_code } })).toEqual({ share_code, public_key });
    });

    it.each(['NOBODY', 'ana', 'A'.repeat(17)])('returns no key for the share code %s', async (shareCode) => {
      const key = world.shop.asks(registry.readPublicKey, { params: { shareCode } });

      await expect(key).rejects.toMatchObject({ key: 'keys.not_found', status: 404 });
    });
  });
});
