import { Controller, Inject } from '@nestjs/common';
import { OPERATOR, Refusal } from '@codase/contracts';
import { Answers } from '@codase/runtime/nest-bus';
import { accountMailTextOf } from './account-mail-text.ts';
import { AccountMailStore } from './account-mail.store.ts';

/** Whether an operator may read mails: in development, where no relay sends them. */
export const MAIL_SHOWN = Symbol('mails are shown');

@Controller()
export class AccountMailBus {
  constructor(
    private readonly mails: AccountMailStore,
    @Inject(MAIL_SHOWN) private readonly isShown: boolean,
  ) {}

  @Answers(OPERATOR.waitingMail, { queue: 'front-door' })
  async waiting() {
    if (!this.isShown)
      throw new Refusal('request.invalid').because('Mails are shown in development alone, and only where MAIL_URL sends none');
    const waiting = await this.mails.waiting();
    return {
      mails: waiting.map(({ recipient, created_at, ...mail }) => ({
        to: recipient,
        at: created_at.toISOString(),
        ...accountMailTextOf(mail),
        ...mail.facts,
      })),
    };
  }
}
