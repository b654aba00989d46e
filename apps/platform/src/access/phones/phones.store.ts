import { Inject, Injectable } from '@nestjs/common';
import { execute, many, one, sql, type Db } from '@codase/runtime/db';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { PhoneEntity } from './phone.entity.ts';

/** The phones of persons. A row is deleted with its session. @gap D1-5 */
@Injectable()
export class PhonesStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  listOf(user_id: string, db: Db = this.db): Promise<PhoneEntity[]> {
    return many<PhoneEntity>(db, sql`select * from phone where user_id = ${user_id} order by created_at desc, device_id`);
  }

  /** Adds a phone. One that the session registered before gets the name instead. */
  async put(tx: Db, { device_id, user_id, session_id, name, created_at }: PhoneEntity): Promise<PhoneEntity> {
    const put = await one<PhoneEntity>(
      tx,
      sql`
      insert into phone (device_id, user_id, session_id, name, created_at)
      values (${device_id}, ${user_id}, ${session_id}, ${name}, ${created_at})
      on conflict (session_id) do update set name = excluded.name
      returning *`,
    );
    return put!;
  }

  find(user_id: string, device_id: string, tx: Db): Promise<PhoneEntity | undefined> {
    return one<PhoneEntity>(tx, sql`select * from phone where device_id = ${device_id} and user_id = ${user_id}`);
  }

  /** Removes phones that are no longer signed in. */
  async removeAll(tx: Db, device_ids: readonly string[]): Promise<void> {
    await execute(tx, sql`delete from phone where device_id = any(${device_ids}::text[])`);
  }

  /** Removes a phone. Returns whether it was still there. */
  async remove(tx: Db, device_id: string): Promise<boolean> {
    return (await one(tx, sql`delete from phone where device_id = ${device_id} returning 1`)) !== undefined;
  }
}
