import { Injectable } from '@nestjs/common';
import { execute } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { newId } from '../../kit/ids.ts';
import type { AdminEmailCodeMail, ServiceRow } from '../services/index.ts';
import { countMail, deleteOldCounts } from './mail-quota.store.ts';

/**
 * The most mails with codes that leave a region in a day: of one company to all addresses; of one company to one address, so that no
 * company can use up the limit that another company needs; and of all companies to one address. @gap D1-2.4
 */
const MAX_MAILS = { ofCompany: 50, ofCompanyToAddress: 3, toAddress: 10 };

/** Queues mails with the codes that confirm admin e-mails. A newer mail replaces one that still waits. */
@Injectable()
export class QueuedAdminEmailCodeMail implements AdminEmailCodeMail {
  async queue(tx: EntityManager, { company_user_id, service_id, admin_email }: ServiceRow, code: string, now: Date): Promise<boolean> {
    if (!(await isWithinQuota(tx, company_user_id, admin_email.toLowerCase(), now))) return false;
    await execute(tx)`
      delete from mail where service_id = ${service_id} and kind = 'confirm_admin_email' and held_until <= clock_timestamp()`;
    const facts = JSON.stringify({ to: admin_email, code });
    await execute(tx)`
      insert into mail (mail_id, company_user_id, service_id, kind, facts, created_at, next_at)
      values (${newId('mail')}, ${company_user_id}, ${service_id}, 'confirm_admin_email', ${facts}::jsonb, ${now}, ${now})`;
    return true;
  }
}

/** Counts the mail, and returns whether it is within all limits. A company over its limit takes nothing from the limit of the address. */
async function isWithinQuota(tx: EntityManager, company: string, address: string, now: Date): Promise<boolean> {
  await deleteOldCounts(tx, now);
  return (
    (await countMail(tx, company, MAX_MAILS.ofCompany, now)) &&
    (await countMail(tx, `${company} ${address}`, MAX_MAILS.ofCompanyToAddress, now)) &&
    (await countMail(tx, address, MAX_MAILS.toAddress, now))
  );
}
