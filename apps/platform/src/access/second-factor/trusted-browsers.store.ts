import { Inject, Injectable } from '@nestjs/common';
import { execute, one, sql, type Db, type Sql } from '@codase/runtime/db';
import type { CredentialsChanged } from '../account-changes/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ExpiredRows } from '../tokens/index.ts';
import { TrustedBrowserEntity } from './second-factor.entity.ts';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';
import { MoreThan } from 'typeorm';

/** A browser that is not asked for a code. */
type BrowserRow = Pick<TrustedBrowserEntity, 'device_id' | 'name' | 'created_at' | 'last_seen_at'>;

/** A browser that is trusted from now on. */
type NewBrowser = Omit<TrustedBrowserEntity, 'factor_id' | 'last_seen_at'>;

/** The browsers that users trust, by the hashes of the secrets in their cookies. @gap D1-5.8 */
@Injectable()
export class TrustedBrowsersStore implements ExpiredRows, CredentialsChanged {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** Adds a browser, and deletes the oldest beyond `most`. The account is locked. Returns false when the second factor is off. */
  async add(tx: Db, { device_id, user_id, token_hash, name, created_at, expires_at }: NewBrowser, most: number): Promise<boolean> {
    const added = await one(tx)`
      insert into trusted_browser (device_id, user_id, factor_id, token_hash, name, created_at, last_seen_at, expires_at)
      select ${device_id}, user_id, factor_id, ${token_hash}, ${name}, ${created_at}::timestamptz, ${created_at}::timestamptz,
             ${expires_at}::timestamptz
        from second_factor where user_id = ${user_id} and enabled_at is not null
      returning 1`;
    await execute(tx)`
      delete from trusted_browser where device_id in
        (select device_id from trusted_browser where user_id = ${user_id} order by created_at desc, device_id offset ${most})`;
    return added !== undefined;
  }

  /** Notes that a browser was seen. Returns whether it is trusted for this account. */
  async see(user_id: string, token_hash: string, now: Date): Promise<boolean> {
    const trusted = { token_hash, user_id, expires_at: MoreThan(now) };
    return (await this.db.getRepository(TrustedBrowserEntity).update(trusted, { last_seen_at: now })).affected === 1;
  }

  /** The browsers of an account, the newest first. */
  listOf(user_id: string, now: Date): Promise<BrowserRow[]> {
    return this.db.getRepository(TrustedBrowserEntity).find({
      select: { device_id: true, name: true, created_at: true, last_seen_at: true },
      where: { user_id, expires_at: MoreThan(now) },
      order: { created_at: 'DESC', device_id: 'ASC' },
    });
  }

  /** Forgets a browser of an account. Returns whether the account had it. */
  async forget(tx: Db, user_id: string, device_id: string): Promise<boolean> {
    return (await tx.getRepository(TrustedBrowserEntity).delete({ device_id, user_id })).affected === 1;
  }

  async credentialsChanged(tx: Db, user_id: string): Promise<number> {
    await tx.getRepository(TrustedBrowserEntity).delete({ user_id });
    return 0; // a trusted browser has no mailed code
  }

  deleteExpired(now: Date, limit: number): Sql {
    return sql`
      delete from trusted_browser where device_id in
        (select device_id from trusted_browser where expires_at <= ${now} limit ${limit} for update skip locked)
      returning 1`;
  }
}

/** Forgets the browsers of all accounts: after the restore of an older copy nobody knows which ones were forgotten since. */
export const forgetTrustedBrowsers = ({ tx }: RestoredFrontDoor) => tx.getRepository(TrustedBrowserEntity).deleteAll();
