import { execute, migrate, openDatabase, sql } from '@codase/runtime/db';
import { comesTrue, testDatabase, type TestDatabase } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { REGION_MIGRATIONS } from '../../../src/capabilities.ts';
import {
  DELIVERY_STATES,
  holdHome,
  isStillArriving,
  takeHome,
  tryHoldHomes,
  writeIfHome,
  type HomeState,
} from '../../../src/foundation/regions/home-lock.store.ts';
import { lockWaits } from '../../support/lock-waits.ts';

describe('the home lock of a company @gap D1-5.6', () => {
  let database: TestDatabase;
  let db: DataSource;
  beforeAll(async () => {
    database = await testDatabase();
    await migrate({ url: database.owner, name: 'test', migrations: REGION_MIGRATIONS });
    db = await openDatabase({ url: database.owner, name: 'test', pool: 3 });
    for (const [user_id, home] of Object.entries({ acme: 'here', bolt: 'here', settler: 'settling', leaver: 'leaving', comer: 'arriving' }))
      await execute(
        db,
        sql`
        insert into profile (user_id, type, display_name, language, share_code, public_key, created_at, home)
        values (${user_id}, 'company', ${user_id}, 'en', ${user_id}, 'key', now(), ${home})`,
      );
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const USERS = ['acme', 'bolt', 'settler', 'leaver', 'comer', 'nobody'];
  const locked = (states?: readonly HomeState[]) => db.transaction(async (tx) => [...(await tryHoldHomes(tx, USERS, states))].sort());

  it('is shared by transactions that write for a company at home', async () => {
    expect(await db.transaction(async () => locked())).toEqual(['acme', 'bolt']);
    expect(await writeIfHome(db, 'acme', async () => locked())).toEqual(['acme', 'bolt']);
  });

  it('is shared by the delivery while a company is settling, before its rows are copied', async () => {
    expect(await locked(DELIVERY_STATES)).toEqual(['acme', 'bolt', 'settler']);
    expect(await writeIfHome(db, 'settler', async () => 'written')).toBeUndefined();
  });

  it('cannot be shared while a step of a move holds it, and the attempt does not wait', async () => {
    await db.transaction(async (tx) => {
      await takeHome(tx, 'acme');
      expect(await locked()).toEqual(['bolt']);
    });
  });

  it('refuses new writes without waiting while a step waits for it', async () => {
    let taken: Promise<unknown> | undefined;
    await writeIfHome(db, 'acme', async (tx) => {
      taken = db.transaction((step) => takeHome(step, 'acme'));
      await comesTrue(async () => expect(await lockWaits(tx, 'advisory')).toBe(1));

      expect(await writeIfHome(db, 'acme', async () => 'written')).toBeUndefined();
      expect(await db.transaction((other) => holdHome(other, 'acme'))).toBe('settling');
      expect(await db.transaction((other) => holdHome(other, 'nobody'))).toBeUndefined();
      expect(await writeIfHome(db, 'bolt', async () => 'written')).toBe('written');
      expect(await holdHome(tx, 'acme')).toBe('here');
    });
    await taken;

    expect(await writeIfHome(db, 'acme', async () => 'written')).toBe('written');
  });

  it('is awaited to find out whether a company has arrived', async () => {
    let arriving: Promise<boolean> | undefined;
    await db.transaction(async (tx) => {
      await takeHome(tx, 'comer');
      arriving = isStillArriving(db, 'comer');
      await comesTrue(async () => expect(await lockWaits(tx, 'advisory')).toBe(1));
      await execute(tx, sql`update profile set home = 'leaving' where user_id = 'comer'`);
    });

    expect(await arriving).toBe(false);
  });

  it('shows writers the result of a move step that has just committed', async () => {
    let written: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await takeHome(tx, 'bolt');
      written = writeIfHome(db, 'bolt', async () => 'written');
      await execute(tx, sql`update profile set home = 'leaving' where user_id = 'bolt'`);
    });

    expect(await written).toBeUndefined();
    expect(await locked()).toEqual(['acme']);
  });
});
