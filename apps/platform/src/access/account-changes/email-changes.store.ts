import { Inject, Injectable } from '@nestjs/common';
import { execute, many, one, sql, type Db, type Sql } from '@codase/runtime/db';
import { MoreThan } from 'typeorm';
import { AccountMailStore } from '../account-mail/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ExpiredRows } from '../tokens/index.ts';
import type { CredentialsChanged } from './account-changes.hook.ts';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';
import { EmailChangeEntity } from './email-change.entity.ts';

/** A request to change an address. */
type NewEmailChange = Omit<EmailChangeEntity, 'number' | 'failures'>;

/** A request whose code is being tried. */
export type TriedChange = Pick<EmailChangeEntity, 'number' | 'email'> & { code_hash: string };

/** How many mails an address got by the requests of one account, and by those of all accounts. */
interface MailsCounted {
  own: number;
  all: number;
}

type Mailed = Pick<EmailChangeEntity, 'mail_id'>;

const mailsOf = (rows: readonly Mailed[]): string[] => rows.flatMap(({ mail_id }) => mail_id ?? []);

/** How long a row is kept: longer than mails are counted, and than its mail waits for the relay. */
const KEPT_MS = 2 * 86_400_000;

/** The first half of the key of the locks on addresses. The second is a hash of the address. */
const ADDRESS_LOCK = 5_810;

/** The requests to change an address. The newest of an account has the one code that counts. @gap D1-5.8 */
@Injectable()
export class EmailChangesStore implements ExpiredRows, CredentialsChanged {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: Db,
    private readonly mails: AccountMailStore,
  ) {}

  /** Returns how many requests an account made since a moment. The caller holds the lock of the account. */
  async madeBy(tx: Db, user_id: string, since: Date): Promise<number> {
    return tx.getRepository(EmailChangeEntity).countBy({ user_id, created_at: MoreThan(since) });
  }

  /**
   * Counts the mails that requests caused to an address since a moment. The address is locked until the transaction ends, so that of
   * several requests at once each counts the ones before it.
   */
  async mailedTo(tx: Db, { user_id, email }: Pick<EmailChangeEntity, 'user_id' | 'email'>, since: Date): Promise<MailsCounted> {
    await execute(tx)`select pg_advisory_xact_lock(${ADDRESS_LOCK}, hashtext(${email}))`;
    const counted = await one<MailsCounted>(tx)`
      select count(*) filter (where user_id = ${user_id})::int as own, count(*)::int as all
        from email_change where email = ${email} and created_at > ${since} and mail_id is not null`;
    return counted!;
  }

  /** Adds a request. The codes of older ones were ended before. */
  async add(tx: Db, change: NewEmailChange): Promise<void> {
    await tx.getRepository(EmailChangeEntity).insert(change);
  }

  /** Counts an attempt, before it is judged, and returns the newest request; undefined without a valid code, or after too many. */
  attempt(user_id: string, most: number, now: Date): Promise<TriedChange | undefined> {
    return one<TriedChange>(this.db)`
      update email_change set failures = failures + 1
       where number = (select max(number) from email_change where user_id = ${user_id})
         and code_hash is not null and failures < ${most} and expires_at > ${now}
      returning number, email, code_hash`;
  }

  /** Takes a counted attempt back when the code was right and something else failed, so that the same call can be repeated. */
  async uncount(number: string): Promise<void> {
    await this.db.getRepository(EmailChangeEntity).decrement({ number, failures: MoreThan(0) }, 'failures', 1);
  }

  /** Uses the code up. Returns whether it was still valid. */
  async take(tx: Db, { number, code_hash }: TriedChange): Promise<boolean> {
    return (await tx.getRepository(EmailChangeEntity).update({ number, code_hash }, { code_hash: null })).affected === 1;
  }

  credentialsChanged(tx: Db, user_id: string): Promise<number> {
    return this.endCodes(tx, user_id);
  }

  /** Lets no code of the account count any more, and deletes mails with codes that were not sent yet. Returns how many codes ended. */
  async endCodes(tx: Db, user_id: string): Promise<number> {
    const ended = await many<Mailed>(tx)`
      update email_change set code_hash = null where user_id = ${user_id} and code_hash is not null returning mail_id`;
    await this.mails.deleteAll(tx, mailsOf(ended));
    return ended.length;
  }

  /**
   * Deletes the mails with codes of an account that is removed: they went to other addresses than its own. A notice to the address before
   * stays, because its owner may not be the one who removed the account.
   */
  async deleteMails(tx: Db, user_id: string): Promise<void> {
    await this.mails.deleteAll(tx, mailsOf(await tx.getRepository(EmailChangeEntity).findBy({ user_id })));
  }

  deleteExpired(now: Date, limit: number): Sql {
    return sql`
      delete from email_change where number in
        (select number from email_change where created_at <= ${new Date(now.getTime() - KEPT_MS)} limit ${limit} for update skip locked)
      returning 1`;
  }
}

/** Ends the codes of all accounts: after the restore of an older copy nobody knows which ones were used or ended since. */
export const endEmailCodes = ({ tx }: RestoredFrontDoor) => tx.getRepository(EmailChangeEntity).updateAll({ code_hash: null });
