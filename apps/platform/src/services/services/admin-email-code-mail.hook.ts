import type { EntityManager } from 'typeorm';
import { requirement } from '../../kit/hooks.ts';
import type { ServiceRow } from './service-row.ts';

/** A capability that mails the code which confirms an admin e-mail. */
export interface AdminEmailCodeMail {
  /** Queues the mail in the transaction that stores the code. Returns false, and queues no mail, when too many were sent today. */
  queue(tx: EntityManager, service: ServiceRow, code: string, now: Date): Promise<boolean>;
}
export const ADMIN_EMAIL_CODE_MAIL = requirement<AdminEmailCodeMail>('mail with the code that confirms an admin e-mail');
