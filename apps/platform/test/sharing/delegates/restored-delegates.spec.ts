import type { AuditEntry } from '@codase/contracts';
import { execute, many, one, sql } from '@codase/runtime/db';
import type { Company } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import type { DataSource } from 'typeorm';
import { REGION_ENTITIES } from '../../../src/capabilities.ts';
import { afterRegionRestore } from '../../../src/operator/after-restore.service.ts';
import { MovingWorld } from '../../support/moving-world.ts';

const KEY = SERVICE_KEYS[2];

interface Entries {
  exported?: AuditEntry[];
  delegates_added?: AuditEntry[];
}

describe('delegates after the restore of an older region database @gap D1-5.8', () => {
  let moving: MovingWorld;
  /** The databases of the regions, as their owner: this is the role that reconciles a restored database. */
  let owned: Record<'eu' | 'us', DataSource>;
  beforeAll(async () => {
    moving = await MovingWorld.open();
    const open = (region: 'eu' | 'us') => moving.world.opensDatabase(`region_${region}`, { role: 'owner', entities: REGION_ENTITIES });
    owned = { eu: await open('eu'), us: await open('us') };
  });
  afterAll(() => moving?.close());

  const database = (region: 'eu' | 'us') => moving.internals.database(`region_${region}`);
  const somebody = (region: 'eu' | 'us' = 'eu') => moving.world.signsUp({ type: 'person', region });
  const club = async () => {
    const company = await moving.newCompany();
    const { id } = await moving.creates(company, 'Club');
    return { company, id };
  };
  /** The grants of a delegate, as the company sees them. */
  const shown = async (company: Company, delegate: { id: string }) =>
    (await company.delegates.lists()).find(({ id }) => id === delegate.id)!.services;
  /** The audit of the region eu about a company, as it is exported. */
  const exportedOf = async ({ user_id }: Company): Promise<AuditEntry[]> => {
    const rows = await many<AuditEntry & { at: Date }>(
      database('eu'),
      sql`
      select at, act, outcome, initiator, client_id, null as address, account_id, object, details
        from audit.entry where account_id = ${user_id} order by seq`,
    );
    return rows.map((row) => ({ ...row, at: (row.at as Date).toISOString() }));
  };
  const reconciles = (region: 'eu' | 'us', { exported = [], delegates_added = [] }: Entries) => {
    const frontDoor = moving.internals.database('front_door');
    return afterRegionRestore({ region, db: owned[region], frontDoor, bus: moving.operator, exported, delegates_added }, moving.world.now);
  };

  it('get no key that was withdrawn after the copy, and keys that they have read stay marked as read', async () => {
    const { company, id } = await club();
    const [ana, ben] = [await somebody(), await somebody()];
    const [withdrawn, again] = [await company.delegates.adds(ana), await company.delegates.adds(ben)];
    for (const delegate of [withdrawn, again]) await company.delegates.grants(delegate, id, KEY.passphrase);
    const copy = await many<{ grant_id: string; delegate_id: string; passphrase: string }>(
      database('eu'),
      sql`select grant_id, delegate_id, passphrase from delegate_grant where service_id = ${id}`,
    );
    await ana.delegations.reads(withdrawn, id);
    for (const delegate of [withdrawn, again]) await company.delegates.grants(delegate, id);
    await company.delegates.grants(again, id, KEY.passphrase);
    const before = await shown(company, withdrawn);
    expect(before).toEqual([{ service_id: id, has_key: false, key_read_at: expect.any(String) }]);
    for (const { grant_id, passphrase } of copy)
      await execute(
        database('eu'),
        sql`update delegate_grant set passphrase = ${passphrase}, key_read_at = null where grant_id = ${grant_id}`,
      );

    const exported = await exportedOf(company);
    const report = await reconciles('eu', { exported });

    const { grant_id } = copy.find(({ delegate_id }) => delegate_id === withdrawn.id)!;
    expect(report).toMatchObject({ keys_withdrawn: [grant_id], keys_read: [grant_id], acts_lost: [] });
    expect((await ana.delegations.reads(withdrawn, id)).key).toBeNull();
    expect((await ben.delegations.reads(again, id)).key).not.toBeNull();
    expect(await shown(company, withdrawn)).toEqual(before);
    expect(await reconciles('eu', { exported })).toMatchObject({ keys_withdrawn: [], keys_read: [] });
  });

  it('get back delegations by companies of other regions from the exported audit of those regions', async () => {
    const { company } = await club();
    const [ana, ben] = [await somebody('us'), await somebody('eu')];
    const delegate = await company.delegates.adds(ana);
    await company.delegates.adds(ben);
    for (const region of ['eu', 'us'] as const)
      await execute(database(region), sql`delete from delegating_company where company_user_id = ${company.user_id}`);
    expect(await ana.delegations.lists()).toEqual([]);

    const delegates_added = (await exportedOf(company)).filter(({ act }) => act === 'delegate.added');
    expect(await reconciles('us', { delegates_added })).toMatchObject({ delegates_noted: [delegate.id] });
    expect(await reconciles('eu', { delegates_added })).toMatchObject({ delegates_noted: [] });

    expect(await ana.delegations.lists()).toMatchObject([{ id: delegate.id }]);
    expect(await reconciles('us', { delegates_added })).toMatchObject({ delegates_noted: [] });
    await ana.delegations.leaves(delegate);
    expect(await ana.delegations.lists()).toEqual([]);
  });

  it('get back no delegation by an account that was deleted', async () => {
    const { company } = await club();
    const ana = await somebody('us');
    await company.delegates.adds(ana);
    await execute(database('us'), sql`delete from delegating_company where company_user_id = ${company.user_id}`);
    await execute(database('us'), sql`insert into deleted_account (user_id, deleted_at) values (${company.user_id}, now())`);

    expect(await reconciles('us', { delegates_added: await exportedOf(company) })).toMatchObject({ delegates_noted: [] });
    expect(await one(database('us'), sql`select from delegating_company where user_id = ${ana.user_id}`)).toBeUndefined();
  });
});
