import { Controller, Inject } from '@nestjs/common';
import { Refusal, WAITING_REGION_MAIL } from '@codase/contracts';
import { many, sql, type Db } from '@codase/runtime/db';
import { Answers } from '@codase/runtime/nest-bus';
import { REGION_DB } from '../../kit/databases.ts';
import { codeTextOf, type CodeMail } from './mail-text.ts';

/** Whether an operator may read the mail of the region: in development alone. */
export const REGION_MAIL_SHOWN = Symbol('mail of the region is shown');

const AT_ONCE = 100;

/** Shows the waiting mails with codes, for development without a relay that could send them. */
@Controller()
export class RegionMailBus {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    @Inject(REGION_MAIL_SHOWN) private readonly isShown: boolean,
  ) {}

  @Answers(WAITING_REGION_MAIL, { queue: 'region-{region}', fixed: ['region'] })
  async waiting() {
    if (!this.isShown) throw new Refusal('request.invalid').because('Mail is shown in development alone');
    const waiting = await many<Pick<CodeMail, 'facts' | 'service_id' | 'created_at'>>(
      this.db,
      sql`
      select facts, service_id, created_at from mail where kind = 'confirm_admin_email' order by created_at desc, mail_id limit ${AT_ONCE}`,
    );
    return {
      mails: waiting.map((mail) => ({
        to: mail.facts.to,
        at: mail.created_at.toISOString(),
        ...codeTextOf(mail),
        service_id: mail.service_id,
        code: mail.facts.code,
      })),
    };
  }
}
