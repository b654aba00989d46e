import { Inject, Injectable } from '@nestjs/common';
import type { NewProfile } from '@codase/contracts';
import { execute, hasRow, many, one, type Db } from '@codase/runtime/db';
import type { AccountRow } from '../accounts/accounts.store.ts';
import { FRONT_DOOR_DB } from '../../../kit/databases.ts';
import { PendingSignUpEntity, ProfileToHandOverEntity } from './pending-sign-up.entity.ts';

/** A profile that its region has not confirmed yet. */
export interface PendingProfile {
  region: string;
  profile: NewProfile;
}

/** A sign-up whose e-mail address is not confirmed yet. */
type PendingSignUp<Wanted> = Omit<PendingSignUpEntity, 'wanted' | 'failures' | 'mails' | 'mails_since' | 'mail_id'> & { wanted: Wanted };

/** A sign-up that begins, with the mail that tells its code. */
type NewSignUp<Wanted> = PendingSignUp<Wanted> & { source: string; mail_id: string };

/** What was counted of an e-mail address and a source. */
interface Counted {
  /** Mails to the address that this source caused since a moment. */
  own: number;
  /** Mails to the address that all sources caused since then. */
  all: number;
  /** Sign-ups of this source that wait, with other addresses than this one. */
  others: number;
}

/** The first half of the key of the locks on e-mail addresses that sign up: "sign" in ASCII. The second is a hash of the address. */
const EMAIL_LOCK = 0x73_69_67_6e;

/** Stores sign-ups until their address is confirmed, and new accounts with their profiles until the region has taken these. */
@Injectable()
export class SignUpStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /**
   * Counts the mails to an address and the sign-ups of a source. The address is locked until the transaction ends, so that of several
   * sign-ups at once each counts the ones before it.
   */
  async count(tx: Db, { email, source, since }: { email: string; source: string; since: Date }): Promise<Counted> {
    await execute(tx)`select pg_advisory_xact_lock(${EMAIL_LOCK}, hashtext(${email}))`;
    const counted = await one<Counted>(tx)`
      select coalesce(sum(mails) filter (where source = ${source}), 0)::int as own, coalesce(sum(mails), 0)::int as all,
             (select count(*)::int from pending_sign_up where source = ${source} and email <> ${email}) as others
        from pending_sign_up where email = ${email} and mails_since > ${since}`;
    return counted!;
  }

  /**
   * Stores a sign-up in place of the one that waits with this address and source. Returns the mail of that one, whose code counts no more.
   * Mails are counted anew when the first of them is older than `since`.
   */
  async begin<Wanted>(tx: Db, pending: NewSignUp<Wanted>, since: Date): Promise<string | undefined> {
    const { sign_up_id, email, code_hash, password_hash, wanted, created_at, expires_at, source, mail_id } = pending;
    const replaced = await one<{ mail_id: string | null }>(tx)`
      with earlier as (select mail_id from pending_sign_up where source = ${source} and email = ${email})
      insert into pending_sign_up as p
        (sign_up_id, email, code_hash, password_hash, wanted, created_at, expires_at, source, mails, mails_since, mail_id)
      values (${sign_up_id}, ${email}, ${code_hash}, ${password_hash}, ${JSON.stringify(wanted)}::jsonb, ${created_at}, ${expires_at},
              ${source}, 1, ${created_at}, ${mail_id})
      on conflict (source, email) do update
         set sign_up_id = excluded.sign_up_id, code_hash = excluded.code_hash, password_hash = excluded.password_hash,
             wanted = excluded.wanted, failures = 0, created_at = excluded.created_at, expires_at = excluded.expires_at,
             mail_id = excluded.mail_id, mails = case when p.mails_since <= ${since} then 1 else p.mails + 1 end,
             mails_since = case when p.mails_since <= ${since} then excluded.mails_since else p.mails_since end
      returning (select mail_id from earlier) as mail_id`;
    return replaced?.mail_id ?? undefined;
  }

  /** Returns a pending sign-up; undefined when it has expired or too many codes were wrong. Counts the attempt before it is judged. */
  attempt<Wanted>(sign_up_id: string, most: number, now: Date): Promise<PendingSignUp<Wanted> | undefined> {
    return one<PendingSignUp<Wanted>>(this.db)`
      update pending_sign_up set failures = failures + 1
       where sign_up_id = ${sign_up_id} and failures < ${most} and expires_at > ${now}
      returning sign_up_id, email, code_hash, password_hash, wanted, created_at, expires_at, source`;
  }

  /** Takes back a counted attempt: the code was right and something else failed, so the same call can be repeated. */
  async uncount(sign_up_id: string): Promise<void> {
    await this.db.getRepository(PendingSignUpEntity).decrement({ sign_up_id }, 'failures', 1);
  }

  async end(sign_up_id: string): Promise<void> {
    await this.db.getRepository(PendingSignUpEntity).delete({ sign_up_id });
  }

  async deleteExpired(now: Date, limit: number): Promise<number> {
    const deleted = await many(this.db)`
      delete from pending_sign_up where sign_up_id in
        (select sign_up_id from pending_sign_up where expires_at <= ${now} limit ${limit} for update skip locked)
      returning 1`;
    return deleted.length;
  }

  /** Deletes the oldest sign-ups when there are more than `most`. */
  async deleteBeyond(most: number): Promise<void> {
    await execute(this.db)`
      delete from pending_sign_up where created_at <=
        (select created_at from pending_sign_up order by created_at desc offset ${most} limit 1)`;
  }

  /** Adds the account and its profile in one statement, so both rows or none. Returns false when the address or the share code is taken. */
  add(account: AccountRow, profile: NewProfile): Promise<boolean> {
    return hasRow(this.db)`
      with added as (
        insert into account (user_id, type, email, password_hash, share_code, public_key, level, region, created_at)
        values (${account.user_id}, ${account.type}, ${account.email}, ${account.password_hash}, ${account.share_code},
                ${account.public_key}, ${account.level}, ${account.region}, ${account.created_at})
        on conflict do nothing
        returning user_id, created_at)
      insert into profile_to_hand_over (user_id, profile, created_at)
      select user_id, ${profile}::jsonb, created_at from added
      returning user_id`;
  }

  /** Deletes the account again, unless its profile has been handed over meanwhile. Returns whether it was deleted. */
  takeBack(user_id: string, tx: Db): Promise<boolean> {
    return hasRow(tx)`
      delete from account a using profile_to_hand_over p where a.user_id = ${user_id} and p.user_id = a.user_id returning 1`;
  }

  /** Deletes the pending profile, which the region has now. Returns false when the profile was handed over before. */
  async handedOver(user_id: string, tx: Db): Promise<boolean> {
    return (await tx.getRepository(ProfileToHandOverEntity).delete({ user_id })).affected === 1;
  }

  /** Returns profiles that have been waiting since `since` or longer, the oldest first. */
  waiting(since: Date, most: number): Promise<PendingProfile[]> {
    return many<PendingProfile>(this.db)`
      select region, profile from profile_to_hand_over join account using (user_id)
       where profile_to_hand_over.created_at <= ${since}
       order by profile_to_hand_over.created_at
       limit ${most}`;
  }
}
