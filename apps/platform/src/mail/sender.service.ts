import type { Clock } from '@cds/runtime/clock';
import { count, type Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { mailTextOf } from './mail-text.ts';
import { Outbox, type DueMail, type WaitingMail } from './outbox.store.ts';
import {
  codeOf,
  expiredBefore,
  GIVE_UP_HOURS,
  isRefusedForGood,
  nextAttempt,
  type Relay,
  type SendFailure,
} from '../account-mail/index.ts';
import { METRICS } from './metrics.ts';

export interface SenderParts {
  region: string;
  db: DataSource;
  /** Null where no relay is configured: then nothing leaves. */
  relay: Pick<Relay, 'send'> | null;
  clock: Clock;
  log: Log;
  isPaused(): boolean;
}

/** How many leave in one round. */
const ROUND = 100;

/** Sends the mail of one region, at least once. Several processes share it. @spec D1-6.3 */
export class Sender {
  private readonly outbox: Outbox;
  private isLeaving = false;

  constructor(private readonly parts: SenderParts) {
    this.outbox = new Outbox(parts.db);
  }

  /** Everything that is due. It ends with the first mail that has to wait: what kept that one would keep the next. */
  async round(): Promise<void> {
    if (this.parts.isPaused()) return;
    await this.giveUpOld();
    for (let sent = 0; sent < ROUND && !this.isLeaving; sent += 1) {
      if (!(await this.sendNext())) return;
    }
  }

  /** Nothing more is begun. */
  leave(): void {
    this.isLeaving = true;
  }

  /** Answers whether to go on. */
  private async sendNext(): Promise<boolean> {
    const { relay, clock, region } = this.parts;
    const mail = relay && (await this.outbox.claim(clock.now()));
    if (!mail) return false;
    try {
      await relay.send({ id: mail.mail_id, to: mail.admin_email, at: clock.now(), ...mailTextOf(mail) });
    } catch (error) {
      return this.failed(mail, error as SendFailure);
    }
    await this.outbox.sent(mail);
    count(METRICS.mailSent, { 'cds.region': region });
    return true;
  }

  private async failed(mail: DueMail, error: SendFailure): Promise<boolean> {
    const { region, clock, log } = this.parts;
    count(METRICS.mailFailed, { 'cds.region': region, 'error.type': error.code ?? 'unknown' });
    if (isRefusedForGood(error)) {
      await this.giveUp(mail, `the mail server refused it for good (${error.responseCode})`);
      return true;
    }
    log.warn('a mail could not be sent and is tried again', {
      'cds.region': region,
      'cds.attempt': mail.attempts,
      'error.type': codeOf(error),
    });
    await this.outbox.postpone(mail, nextAttempt(mail.attempts, clock.now()));
    return false;
  }

  private async giveUpOld(): Promise<void> {
    const old = await this.outbox.writtenBefore(expiredBefore(this.parts.clock.now()));
    for (const mail of old) await this.giveUp(mail, `it could not be sent within ${GIVE_UP_HOURS} hours`);
  }

  private async giveUp(mail: WaitingMail, why: string): Promise<void> {
    const { region, clock, log } = this.parts;
    if (!(await this.outbox.giveUp(mail, why, clock.now()))) return;
    count(METRICS.mailGivenUp, { 'cds.region': region });
    log.error('a mail is given up; the log of its service says why', {
      'cds.region': region,
      'messaging.message.id': mail.mail_id,
      'cds.attempt': mail.attempts,
    });
  }
}
