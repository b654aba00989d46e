import { Inject, Injectable } from '@nestjs/common';
import type { EncryptedPrivateKey, NewProfile } from '@codase/contracts';
import { execute, one, sql, type Db } from '@codase/runtime/db';
import { MoreThan } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import type { HomeState } from './home-lock.store.ts';
import { ProfileEntity } from './profile.entity.ts';

export type ProfileRow = Omit<ProfileEntity, 'created_at' | 'home'>;

/** A profile as an operator provisions it. */
export type ProvisionedProfile = Omit<ProfileRow, 'moving_to'>;

/** The part of a profile that others see and the user may change; members that are left out stay as they are. */
interface Renamed {
  display_name: string;
  language?: string | undefined;
}

/** The profiles of users who live in the region. */
@Injectable()
export class ProfilesStore {
  constructor(@Inject(REGION_DB) private readonly db: Db) {}

  /**
   * Adds a profile. An existing profile is left as it is, so that a hand-over can be repeated. A profile that has moved away since is not
   * brought back.
   */
  async add(tx: Db, { user_id, type, display_name, language, share_code, created_at, ...keys }: NewProfile): Promise<void> {
    await execute(
      tx,
      sql`
      insert into profile (user_id, type, display_name, language, share_code, public_key, encrypted_private_key, created_at)
      select ${user_id}, ${type}, ${display_name}, ${language}, ${share_code}, ${keys.public_key}, ${keys.encrypted_private_key}::jsonb,
        ${created_at}::timestamptz
       where not exists (select from move_turn where user_id = ${user_id})
      on conflict (user_id) do nothing`,
    );
  }

  /** Returns users that the region has rows of, in the order of their ids, after a given id. */
  after(user_id: string, limit: number, db: Db = this.db): Promise<{ user_id: string; home: HomeState }[]> {
    const where = { user_id: MoreThan(user_id) };
    return db.getRepository(ProfileEntity).find({ select: { user_id: true, home: true }, where, order: { user_id: 'ASC' }, take: limit });
  }

  find(user_id: string): Promise<ProfileRow | undefined> {
    return findProfile(this.db, user_id);
  }

  async findByShareCode(share_code: string): Promise<ProfileRow | undefined> {
    return (await this.db.getRepository(ProfileEntity).findOneBy({ share_code })) ?? undefined;
  }

  rename(tx: Db, user_id: string, { display_name, language }: Renamed): Promise<ProfileRow | undefined> {
    return one<ProfileRow>(
      tx,
      sql`
      update profile set display_name = ${display_name}, language = coalesce(${language ?? null}, language)
       where user_id = ${user_id}
      returning *`,
    );
  }

  /** Stores the private key in a new wrap. There is no function that changes the public key: key pairs are never replaced. @spec D1-6.1 */
  rewrap(tx: Db, user_id: string, encrypted_private_key: EncryptedPrivateKey): Promise<ProfileRow | undefined> {
    return one<ProfileRow>(
      tx,
      sql`
      update profile set encrypted_private_key = ${encrypted_private_key} where user_id = ${user_id} returning *`,
    );
  }
}

/** Deletes a profile, and with it everything that the user has at home. Returns whether there was one. @gap D1-5.8 */
export const removeProfile = async (tx: Db, user_id: string): Promise<boolean> =>
  (await tx.getRepository(ProfileEntity).delete({ user_id })).affected === 1;

/** Finds the profile of a user who lives here, or is moving to this region or away from it. */
export const findProfile = (db: Db, user_id: string): Promise<ProfileRow | undefined> =>
  one<ProfileRow>(db, sql`select * from profile where user_id = ${user_id}`);

/** Adds a profile, or fills in the private key of an existing one that has none. It can be repeated. */
export const provisionProfile = (db: Db, profile: ProvisionedProfile, now: Date): Promise<unknown> => {
  const { user_id, type, display_name, language, share_code, public_key, encrypted_private_key } = profile;
  return execute(
    db,
    sql`
    insert into profile as p (user_id, type, display_name, language, share_code, public_key, encrypted_private_key, created_at)
    values (${user_id}, ${type}, ${display_name}, ${language}, ${share_code}, ${public_key}, ${encrypted_private_key}, ${now})
    on conflict (user_id) do update set encrypted_private_key = coalesce(p.encrypted_private_key, excluded.encrypted_private_key)`,
  );
};
