import { one, sql } from '@codase/runtime/db';
import { World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { provisionAccount } from '../../../src/access/identity/index.ts';

describe('provisioning an existing account', () => {
  let world: World;
  let db: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door'] });
    db = await world.opensDatabase('front_door');
  });
  afterAll(() => world?.close());

  const profile = () => ({
    user_id: world.acme.user_id,
    type: 'company' as const,
    email: world.acme.email,
    password_hash: 'a hash',
    level: 'pro' as const,
    display_name: 'Acme',
    language: 'en',
    share_code: 'ACME',
    public_key: 'a key',
    encrypted_private_key: null,
    region: 'us',
  });
  const account = () => one(db, sql`select * from account where user_id = ${world.acme.user_id}`);

  it("changes nothing, and returns the account's home region", async () => {
    const before = await account();

    expect(await provisionAccount(db, profile(), new Date())).toBe('eu');
    expect(await account()).toEqual(before);
  });

  it('fills members that older accounts do not have', async () => {
    await one(
      db,
      sql`update account set password_hash = null, share_code = null, public_key = null, level = 'free'
        where user_id = ${world.acme.user_id}`,
    );

    await provisionAccount(db, profile(), new Date());
    expect(await account()).toMatchObject({ password_hash: 'a hash', share_code: 'ACME', public_key: 'a key', level: 'pro', region: 'eu' });
  });
});
