import { Inject, Injectable } from '@nestjs/common';
import { execute, many, one, type Db } from '@codase/runtime/db';
import { In, LessThanOrEqual } from 'typeorm';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { ACCOUNT_MAIL_KINDS, type AccountMail } from './account-mail-text.ts';
import { SEND_SECONDS } from './relay.service.ts';
import { AccountMailEntity } from './account-mail.entity.ts';

/** A mail that waits to be sent. */
export type WaitingAccountMail = AccountMail & { mail_id: string; recipient: string; created_at: Date; attempts: number };

/** How long no other process takes a claimed mail, because it may still be under way. */
const CLAIM_SECONDS = SEND_SECONDS + 30;
const AT_ONCE = 100;
const NOTICE_MS = 86_400_000;

/** The outbox of the front door. Mails that are sent or expired are deleted. @gap D1-5 */
@Injectable()
export class AccountMailStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** Adds a mail, in the transaction of the change that it is about. Returns its id. */
  async write(tx: Db, recipient: string, { kind, facts }: AccountMail, now: Date, expires_at: Date): Promise<string> {
    const mail_id = newId('mail');
    await execute(tx)`
      insert into account_mail (mail_id, recipient, kind, facts, created_at, expires_at, next_at)
      values (${mail_id}, ${recipient}, ${kind}, ${JSON.stringify(facts)}::jsonb, ${now}, ${expires_at}, ${now})`;
    return mail_id;
  }

  /** Adds a notice of a change. It is sent within a day: afterwards it would only confuse. */
  notify(tx: Db, recipient: string, mail: AccountMail, now: Date): Promise<string> {
    return this.write(tx, recipient, mail, now, new Date(now.getTime() + NOTICE_MS));
  }

  /** Claims the mail that is due longest, if any. The claim lasts by the database's own clock, which all processes share. */
  claim(now: Date): Promise<WaitingAccountMail | undefined> {
    return one<WaitingAccountMail>(this.db)`
      update account_mail set attempts = attempts + 1, held_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
       where mail_id = (
         select mail_id from account_mail
          where next_at <= ${now} and expires_at > ${now} and held_until <= clock_timestamp() and kind = any (${ACCOUNT_MAIL_KINDS})
          order by next_at limit 1
            for update skip locked)
      returning mail_id, recipient, kind, facts, created_at, attempts`;
  }

  async delete(mail_id: string): Promise<void> {
    await this.db.getRepository(AccountMailEntity).delete({ mail_id });
  }

  /** Deletes the mails to an address whose account is removed, in the same transaction. */
  async deleteTo(tx: Db, recipient: string): Promise<void> {
    await tx.getRepository(AccountMailEntity).delete({ recipient });
  }

  /** Deletes mails that are of no use any more, in the transaction of the change that makes them so. */
  async deleteAll(tx: Db, mail_ids: readonly string[]): Promise<void> {
    await tx.getRepository(AccountMailEntity).delete({ mail_id: In(mail_ids) });
  }

  async postpone(mail_id: string, next_at: Date): Promise<void> {
    await execute(this.db)`update account_mail set next_at = ${next_at}, held_until = '-infinity' where mail_id = ${mail_id}`;
  }

  /** Deletes mails that have expired. Returns how many. */
  async deleteExpired(now: Date): Promise<number> {
    return (await this.db.getRepository(AccountMailEntity).delete({ expires_at: LessThanOrEqual(now) })).affected!;
  }

  /** Returns the mails that wait, the newest first. */
  waiting(): Promise<WaitingAccountMail[]> {
    return many<WaitingAccountMail>(this.db)`
      select mail_id, recipient, kind, facts, created_at, attempts from account_mail
       where kind = any (${ACCOUNT_MAIL_KINDS}) order by created_at desc, mail_id limit ${AT_ONCE}`;
  }
}
