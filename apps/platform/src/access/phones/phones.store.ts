import { Inject, Injectable } from '@nestjs/common';
import { one, type Db } from '@codase/runtime/db';
import { In } from 'typeorm';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { PhoneEntity } from './phone.entity.ts';

/** The phones of persons. A row is deleted with its session. @gap D1-5 */
@Injectable()
export class PhonesStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  listOf(user_id: string, db: Db = this.db): Promise<PhoneEntity[]> {
    return db.getRepository(PhoneEntity).find({ where: { user_id }, order: { created_at: 'DESC', device_id: 'ASC' } });
  }

  /** Adds a phone. One that the session registered before gets the name instead. */
  async put(tx: Db, { device_id, user_id, session_id, name, created_at }: PhoneEntity): Promise<PhoneEntity> {
    const put = await one<PhoneEntity>(tx)`
      insert into phone (device_id, user_id, session_id, name, created_at)
      values (${device_id}, ${user_id}, ${session_id}, ${name}, ${created_at})
      on conflict (session_id) do update set name = excluded.name
      returning *`;
    return put!;
  }

  async find(user_id: string, device_id: string, tx: Db): Promise<PhoneEntity | undefined> {
    return (await tx.getRepository(PhoneEntity).findOneBy({ device_id, user_id })) ?? undefined;
  }

  /** Removes phones that are no longer signed in. */
  async removeAll(tx: Db, device_ids: readonly string[]): Promise<void> {
    await tx.getRepository(PhoneEntity).delete({ device_id: In(device_ids) });
  }

  /** Removes a phone. Returns whether it was still there. */
  async remove(tx: Db, device_id: string): Promise<boolean> {
    return (await tx.getRepository(PhoneEntity).delete({ device_id })).affected === 1;
  }
}
