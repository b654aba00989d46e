import { execute, many, one } from '@codase/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { writeIfHome } from '../../foundation/regions/index.ts';
import { newId } from '../../kit/ids.ts';
import { writeLog, type OwnService } from '../services/index.ts';
import { MAIL_KINDS, type Alert, type BacklogFacts, type MailContent } from './mail-text.ts';
import { SEND_SECONDS } from '../../access/account-mail/index.ts';
import { logKinds } from '../../kit/log-kinds.ts';

export const LOG_KINDS = logKinds('mail_given_up');

/** The webhook that a mail is about, with its service and company. */
interface OwnWebhook extends OwnService {
  webhook_id: string;
}

/** A mail that waits to be sent. */
export type WaitingMail = MailContent & { mail_id: string; company_user_id: string; attempts: number };

/** A claimed mail with its present recipient. */
type DueMail = WaitingMail & { recipient: string };

/** A claimed alert that goes into a digest. */
export type DueAlert = WaitingMail & Alert;

/** How long a mail stays claimed: no other process takes it while it may still be under way. */
const CLAIM_SECONDS = SEND_SECONDS + 30;
const AT_ONCE = 100;

/**
 * Queues a mail about a webhook's backlog, in the transaction that writes the same to the log. The mail replaces one that still waits, and
 * adds the lost events that the old one would have reported: after a day without a relay one mail is sent, and not twenty-four.
 * @spec D1-6.3
 */
export async function mailBacklog(
  tx: EntityManager,
  { company_user_id, service_id, webhook_id }: OwnWebhook,
  facts: BacklogFacts,
  now: Date,
): Promise<void> {
  const untold = await many<{ facts: BacklogFacts }>(tx)`
    delete from mail
     where service_id = ${service_id} and webhook_id = ${webhook_id} and kind = 'webhook_backlog' and held_until <= clock_timestamp()
    returning facts`;
  const lost = untold.reduce((sum, { facts: before }) => sum + before.lost, facts.lost);
  await execute(tx)`
    insert into mail (mail_id, company_user_id, service_id, webhook_id, kind, facts, created_at, next_at)
    select ${newId('mail')}, ${company_user_id}, ${service_id}, ${webhook_id}, 'webhook_backlog',
      ${JSON.stringify({ ...facts, lost })}::jsonb, ${now}, ${now}
      from service where service_id = ${service_id} and admin_email <> ''`;
}

/** The mail that one region has to send. Of a company that is moving nothing is written: the new region sends its mail again. */
export class Outbox {
  constructor(private readonly db: DataSource) {}

  /**
   * Claims the mail that has been due longest; undefined when none is due. A mail with a code comes before an alert to a confirmed address,
   * because a person waits for the code. The claim ends by the clock of the database, which all processes share.
   */
  claim(now: Date): Promise<DueMail | undefined> {
    return one<DueMail>(this.db)`
      with due as materialized (
        select m.mail_id, m.company_user_id from mail m join profile p on p.user_id = m.company_user_id join service s using (service_id)
         where p.home = 'here' and m.next_at <= ${now} and m.held_until <= clock_timestamp() and m.kind = any (${MAIL_KINDS})
           and (m.kind = 'confirm_admin_email' or s.admin_email_confirmed_at is not null)
         order by m.kind <> 'confirm_admin_email', m.next_at limit 1
           for update of m skip locked)
      update mail m set attempts = m.attempts + 1, held_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
        from due, service s
       where m.mail_id = due.mail_id and s.service_id = m.service_id and exists (select from hold_homes(array[due.company_user_id]))
      returning m.mail_id, m.company_user_id, m.service_id, m.webhook_id, m.kind, m.facts, m.created_at, m.attempts,
        s.name as service_name, coalesce(m.facts ->> 'to', s.admin_email) as recipient`;
  }

  /** Returns some of the unconfirmed addresses that have alerts which are due, in lower case. */
  async unconfirmedRecipients(now: Date): Promise<string[]> {
    const found = await many<{ recipient: string }>(this.db)`
      select distinct lower(s.admin_email) as recipient
        from mail m join profile p on p.user_id = m.company_user_id join service s using (service_id)
       where p.home = 'here' and m.next_at <= ${now} and m.held_until <= clock_timestamp() and m.kind = 'webhook_backlog'
         and s.admin_email_confirmed_at is null
       limit ${AT_ONCE}`;
    return found.map(({ recipient }) => recipient);
  }

  /** Claims alerts to an unconfirmed address that are due until `then`. Waits for one that is being postponed: it belongs to today. */
  async claimAlerts(recipient: string, then: Date): Promise<DueAlert[]> {
    const claimed = await many<DueAlert>(this.db)`
      with due as materialized (
        select m.mail_id, m.company_user_id from mail m join profile p on p.user_id = m.company_user_id join service s using (service_id)
         where p.home = 'here' and m.next_at <= ${then} and m.held_until <= clock_timestamp() and m.kind = 'webhook_backlog'
           and s.admin_email_confirmed_at is null and lower(s.admin_email) = ${recipient}
         order by m.next_at limit ${AT_ONCE}
           for update of m)
      update mail m set attempts = m.attempts + 1, held_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
        from due, service s
       where m.mail_id = due.mail_id and s.service_id = m.service_id and exists (select from hold_homes(array[due.company_user_id]))
      returning m.mail_id, m.company_user_id, m.service_id, m.webhook_id, m.kind, m.facts, m.created_at, m.attempts,
        s.name as service_name`;
    return claimed.toSorted(byAge);
  }

  /** Postpones the alerts that are due to an unconfirmed address, because the address has had its digest. */
  async postponeAlerts(recipient: string, next_at: Date, now: Date): Promise<void> {
    await execute(this.db)`
      with due as materialized (
        select m.mail_id, m.company_user_id from mail m join profile p on p.user_id = m.company_user_id join service s using (service_id)
         where p.home = 'here' and m.next_at <= ${now} and m.held_until <= clock_timestamp() and m.kind = 'webhook_backlog'
           and s.admin_email_confirmed_at is null and lower(s.admin_email) = ${recipient}
           for update of m skip locked)
      update mail m set next_at = ${next_at}
        from due
       where m.mail_id = due.mail_id and exists (select from hold_homes(array[due.company_user_id]))`;
  }

  /** Deletes a mail that the relay has taken. */
  async sent(mail: WaitingMail): Promise<void> {
    await writeIfHome(this.db, mail.company_user_id, (tx) => remove(tx, mail));
  }

  async postpone(mail: WaitingMail, next_at: Date): Promise<void> {
    await writeIfHome(
      this.db,
      mail.company_user_id,
      (tx) => execute(tx)`update mail set next_at = ${next_at}, held_until = '-infinity' where mail_id = ${mail.mail_id}`,
    );
  }

  /** Deletes a mail that is not tried any more, and logs why for the service. Returns whether the mail was still there. */
  async giveUp(mail: WaitingMail, why: string, now: Date): Promise<boolean> {
    const given = await writeIfHome(this.db, mail.company_user_id, async (tx) => {
      if ((await remove(tx, mail)).length === 0) return false;
      const [what, about] =
        mail.kind === 'confirm_admin_email'
          ? ['The mail with the code for the admin e-mail', {}]
          : [`A mail about the webhook to ${mail.facts.host}`, { webhook_id: mail.webhook_id }];
      const message = `${what} is given up: ${why}. See that the admin e-mail of the service is right and takes mail`;
      await writeLog(tx, mail, { kind: LOG_KINDS.mail_given_up, message, ...about }, now);
      return true;
    });
    return given === true;
  }

  /** Returns mail that was queued before `then` and that no process holds. */
  writtenBefore(then: Date): Promise<WaitingMail[]> {
    return many<WaitingMail>(this.db)`
      select m.mail_id, m.company_user_id, m.service_id, m.webhook_id, m.kind, m.facts, m.created_at, m.attempts, s.name as service_name
        from mail m join service s using (service_id)
       where m.created_at < ${then} and m.held_until <= clock_timestamp() and m.kind = any (${MAIL_KINDS})
       limit ${AT_ONCE}`;
  }
}

/** Sorts the oldest alert first, and alerts of the same age by webhook. */
const byAge = (one: DueAlert, other: DueAlert) =>
  one.created_at.getTime() - other.created_at.getTime() || (one.webhook_id < other.webhook_id ? -1 : 1);

const remove = (tx: EntityManager, { mail_id }: WaitingMail) => many(tx)`delete from mail where mail_id = ${mail_id} returning mail_id`;
