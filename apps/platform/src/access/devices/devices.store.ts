import { Inject, Injectable } from '@nestjs/common';
import { UNUSED_DEVICE_DAYS } from '@codase/contracts';
import { column, hasRow, one, sql, type Db, type Sql } from '@codase/runtime/db';
import { IsNull } from 'typeorm';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';
import { DeviceEntity } from './device.entity.ts';

type NewDevice = Omit<DeviceEntity, 'last_used_at' | 'removed_at'>;

/** The class of the advisory locks by which the devices of a person change one after the other: "devi" in ASCII. */
const DEVICES_LOCK = 0x64657669;

/** The devices of persons. A row goes with its account. */
@Injectable()
export class DevicesStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** Lets the devices of a person change one after the other. Reads come in later statements. */
  async lock(user_id: string, tx: Db): Promise<void> {
    await one(tx)`select pg_advisory_xact_lock(${DEVICES_LOCK}, hashtext(${user_id}))`;
  }

  /** The devices of a person that were not removed, the newest first. */
  listOf(user_id: string, db: Db = this.db): Promise<DeviceEntity[]> {
    return db
      .getRepository(DeviceEntity)
      .find({ where: { user_id, removed_at: IsNull() }, order: { created_at: 'DESC', device_id: 'ASC' } });
  }

  async findKey(user_id: string, jkt: string, db: Db = this.db): Promise<DeviceEntity | undefined> {
    return (await db.getRepository(DeviceEntity).findOneBy({ user_id, jkt })) ?? undefined;
  }

  async add(tx: Db, device: NewDevice): Promise<void> {
    await tx.getRepository(DeviceEntity).insert({ ...device, last_used_at: device.created_at, removed_at: null });
  }

  /** Notes that a device was used. Returns false when it was removed. */
  async use(tx: Db, user_id: string, jkt: string, now: Date): Promise<boolean> {
    const used = await tx.getRepository(DeviceEntity).update({ user_id, jkt, removed_at: IsNull() }, { last_used_at: now });
    return used.affected === 1;
  }

  /** Names a device of a person. Returns it, or undefined when the person has no such device. */
  rename(user_id: string, device_id: string, name: string): Promise<DeviceEntity | undefined> {
    return one<DeviceEntity>(this.db)`
      update device set name = ${name} where user_id = ${user_id} and device_id = ${device_id} and removed_at is null returning *`;
  }

  /** The key of a device of a person; undefined when the person has no such device. */
  async keyOf(user_id: string, device_id: string, tx: Db): Promise<string | undefined> {
    return (await tx.getRepository(DeviceEntity).findOneBy({ user_id, device_id, removed_at: IsNull() }))?.jkt;
  }

  /** Removes a device of a person. Returns its key, or undefined when the person has no such device. */
  async remove(tx: Db, user_id: string, device_id: string, now: Date): Promise<string | undefined> {
    const removed = await one<{ jkt: string }>(tx)`
      update device set removed_at = ${now} where user_id = ${user_id} and device_id = ${device_id} and removed_at is null returning jkt`;
    return removed?.jkt;
  }

  /** Returns the ids of the devices of a person beyond `most`, those that were used least recently. */
  beyond(tx: Db, user_id: string, most: number): Promise<string[]> {
    return column<string>(tx)`
      select device_id from device where user_id = ${user_id} and removed_at is null order by last_used_at desc, device_id offset ${most}`;
  }

  /** The open sessions that are bound to a key of a person. */
  sessionsOf(tx: Db, user_id: string, jkt: string): Promise<string[]> {
    return column<string>(tx)`select session_id from session where user_id = ${user_id} and jkt = ${jkt} and ended_at is null`;
  }

  /** The persons with devices, in the order of their ids. */
  usersAfter(user_id: string, limit: number): Promise<string[]> {
    return column<string>(this.db)`
      select distinct user_id from device where user_id > ${user_id} and removed_at is null order by user_id limit ${limit}`;
  }

  /** Deletes devices that have had no session for so long, and removed ones whose tokens and statements are all over. */
  deleteUnused(now: Date, limit: number): Sql {
    const unused = new Date(now.getTime() - UNUSED_DEVICE_DAYS * 24 * 3600_000);
    return sql`
      delete from device where device_id in
        (select device_id from device where last_used_at < ${unused} limit ${limit} for update skip locked)
      returning user_id`;
  }

  isKnown(user_id: string, jkt: string): Promise<boolean> {
    return hasRow(this.db)`select 1 from device where user_id = ${user_id} and jkt = ${jkt} and removed_at is null`;
  }
}

/** Forgets the devices of all persons: after the restore of an older copy nobody knows which keys were removed since. */
export const forgetDevices = ({ tx }: RestoredFrontDoor) => tx.getRepository(DeviceEntity).deleteAll();
