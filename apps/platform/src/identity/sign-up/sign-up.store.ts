import { Inject, Injectable } from '@nestjs/common';
import type { NewProfile } from '@cds/contracts';
import { many, one, sql, type Db } from '@cds/runtime/db';
import type { AccountRow } from '../accounts/accounts.store.ts';
import { FRONT_DOOR_DB } from '../../databases.ts';

/** A profile that its region has not confirmed yet. */
export interface PendingProfile {
  region: string;
  profile: NewProfile;
}

/** Accounts as they come to be: with each goes its profile, until the home region has it. */
@Injectable()
export class SignUpStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** One statement, so both rows or none; false when the address or the share code is taken. */
  async add(account: AccountRow, profile: NewProfile): Promise<boolean> {
    const added = await one(
      this.db,
      sql`
      with added as (
        insert into account (user_id, type, email, password_hash, share_code, public_key, level, region, created_at)
        values (${account.user_id}, ${account.type}, ${account.email}, ${account.password_hash}, ${account.share_code},
                ${account.public_key}, ${account.level}, ${account.region}, ${account.created_at})
        on conflict do nothing
        returning user_id, created_at)
      insert into profile_to_hand_over (user_id, profile, created_at)
      select user_id, ${profile}::jsonb, created_at from added
      returning user_id`,
    );
    return added !== undefined;
  }

  /** Undone as if it had never been, unless the profile has been handed over meanwhile. */
  async takeBack(user_id: string): Promise<void> {
    await many(this.db, sql`delete from account a using profile_to_hand_over p where a.user_id = ${user_id} and p.user_id = a.user_id`);
  }

  async handedOver(user_id: string): Promise<void> {
    await many(this.db, sql`delete from profile_to_hand_over where user_id = ${user_id}`);
  }

  /** Profiles that wait since before a moment, oldest first. */
  waiting(since: Date, most: number): Promise<PendingProfile[]> {
    return many<PendingProfile>(
      this.db,
      sql`
      select region, profile from profile_to_hand_over join account using (user_id)
       where profile_to_hand_over.created_at <= ${since}
       order by profile_to_hand_over.created_at
       limit ${most}`,
    );
  }
}
