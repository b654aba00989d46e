import { Inject, Injectable } from '@nestjs/common';
import { Level } from '@codase/contracts';
import { column, hasRow, many, one, type Db } from '@codase/runtime/db';
import { FRONT_DOOR_DB } from '../../../kit/databases.ts';
import { AccountEntity } from './account.entity.ts';

/** An account as the front door keeps it. */
export type AccountRow = Omit<AccountEntity, 'without_flows_since' | 'free_since'>;

/** A company that lost a level with contract flows. @spec D2-8 */
type LapsedRow = Pick<AccountEntity, 'user_id' | 'free_since'> & { without_flows_since: Date };

/** Stores the accounts: which users exist, their home regions and how they sign in. */
@Injectable()
export class AccountsStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  async find(user_id: string, db: Db = this.db): Promise<AccountRow | undefined> {
    return (await db.getRepository(AccountEntity).findOneBy({ user_id })) ?? undefined;
  }

  /** Finds an account by its e-mail address, which is stored in lower case. */
  async findByEmail(email: string): Promise<AccountRow | undefined> {
    return (await this.db.getRepository(AccountEntity).findOneBy({ email: email.toLowerCase() })) ?? undefined;
  }

  /** Returns the home regions of the users, each region once. */
  regionsOf(user_ids: readonly string[]): Promise<string[]> {
    return column<string>(this.db)`select distinct region from account where user_id = any(${user_ids}::text[])`;
  }

  /** Returns the users who live in a region, in the order of their ids. */
  livingIn(region: string, after: string, limit: number): Promise<string[]> {
    return column<string>(this.db)`
      select user_id from account where region = ${region} and user_id > ${after} order by user_id limit ${limit}`;
  }

  async findByShareCode(share_code: string): Promise<AccountRow | undefined> {
    return (await this.db.getRepository(AccountEntity).findOneBy({ share_code })) ?? undefined;
  }

  /** Locks an account until the transaction ends: deletions, and what registers or moves something of it, come one at a time. */
  lock(user_id: string, tx: Db): Promise<AccountRow | undefined> {
    return one<AccountRow>(tx)`select * from account where user_id = ${user_id} for update`;
  }

  /** Returns the region and the level of a company. The row is locked, so that changes which depend on them come one after the other. */
  lockCompany(user_id: string, tx: Db) {
    return one<{ region: string; level: Level }>(
      tx,
    )`select region, level from account where user_id = ${user_id} and type = 'company' for no key update`;
  }

  async levelOf(user_id: string): Promise<Level | undefined> {
    return (await this.find(user_id))?.level;
  }

  /**
   * Sets the level, and returns whether the account exists. The time when a level was lost stays until the account has that level again.
   * An account that never had a level with contract flows has none to lose. @spec D2-8
   */
  setLevel(user_id: string, level: Level, now: Date, tx: Db): Promise<boolean> {
    const withFlows: readonly Level[] = Level.options.slice(Level.options.indexOf('pro'));
    const [hasFlows, isFree] = [withFlows.includes(level), level === 'free'];
    return hasRow(tx)`
      update account
         set level = ${level},
             without_flows_since = case when ${hasFlows} then null
                                        when level = any(${withFlows}::text[]) then ${now}
                                        else without_flows_since end,
             free_since = case when ${isFree} then coalesce(free_since, ${now}) end
       where user_id = ${user_id}
      returning user_id`;
  }

  /** Lists the companies of a region that lost a level with contract flows, in the order of their ids. @spec D2-8 */
  listLapsed(region: string, after: string, limit: number): Promise<LapsedRow[]> {
    return many<LapsedRow>(this.db)`
      select user_id, without_flows_since, free_since from account
       where region = ${region} and user_id > ${after} and without_flows_since is not null
       order by user_id limit ${limit}`;
  }

  /** Returns whether the account exists. */
  async setDisabled(user_id: string, disabled_at: Date | null, tx: Db): Promise<boolean> {
    return (await tx.getRepository(AccountEntity).update({ user_id }, { disabled_at })).affected === 1;
  }

  /** Replaces the hash of the password. The account is locked by the caller. @gap D1-5.8 */
  async setPassword(user_id: string, password_hash: string, tx: Db): Promise<void> {
    await tx.getRepository(AccountEntity).update({ user_id }, { password_hash });
  }

  /** Replaces the e-mail address. Throws `isEmailTaken` when another account has it. @gap D1-5.8 */
  async setEmail(user_id: string, email: string, tx: Db): Promise<void> {
    await tx.getRepository(AccountEntity).update({ user_id }, { email: email.toLowerCase() });
  }

  async setRegion(user_id: string, region: string, tx: Db): Promise<void> {
    await tx.getRepository(AccountEntity).update({ user_id }, { region });
  }
}

/** Whether an error says that another account has the e-mail address: also one that got it at the same time. */
export function isEmailTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === 'account_email_key';
}

/** An account as an operator provisions it. */
export type ProvisionedAccount = Omit<AccountRow, 'created_at' | 'disabled_at'>;

/**
 * Adds an account, or fills the empty columns of one that exists, so that provisioning can be repeated. Returns the home region of the
 * user. A row from before accounts could sign in has no share code, and gets its level too.
 */
export async function provisionAccount(frontDoor: Db, account: ProvisionedAccount, now: Date): Promise<string> {
  const { user_id, type, email, password_hash, share_code, public_key, level, region } = account;
  const standing = await one<{ region: string }>(frontDoor)`
    insert into account as a (user_id, type, email, password_hash, share_code, public_key, level, region, created_at)
    values (${user_id}, ${type}, ${email}, ${password_hash}, ${share_code}, ${public_key}, ${level}, ${region}, ${now})
    on conflict (user_id) do update
       set password_hash = coalesce(a.password_hash, excluded.password_hash),
           share_code = coalesce(a.share_code, excluded.share_code),
           public_key = coalesce(a.public_key, excluded.public_key),
           level = case when a.share_code is null then excluded.level else a.level end
    returning region`;
  return standing!.region;
}
