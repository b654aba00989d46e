import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { accountMailTextOf } from './account-mail-text.ts';
import { AccountMailStore, type WaitingAccountMail } from './account-mail.store.ts';
import { isAboutTheMail, isRefusedForGood, nextAttempt, type SendFailure } from './mail-retries.ts';
import { METRICS } from './metrics.ts';
import { codeOf, RELAY, type Relay } from './relay.service.ts';

const EVERY_MS = 2000;
const ROUND = 100;
/** How long stopping waits for a mail that a slow relay still checks. After that the mail is left, and another process sends it again. */
const LEAVE_MS = 3000;

/** Sends the mails of the front door, at least once. Without a relay they wait until they expire. */
@Injectable()
export class AccountMailWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private rounds: Repeated | undefined;

  constructor(
    private readonly mails: AccountMailStore,
    @Inject(RELAY) private readonly relay: Pick<Relay, 'send'> | null,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds = repeat(() => this.round(), {
      name: 'account-mail',
      pauseMs: EVERY_MS,
      onFailure: (error) => this.log.error('sending mails failed and is tried again', { error }),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.race([this.rounds?.stop(), pause(LEAVE_MS, undefined, { ref: false })]);
  }

  /** Deletes expired mails and sends those that are due. The round ends when the relay fails, because the next mail would fail too. */
  private async round(): Promise<void> {
    const expired = await this.mails.deleteExpired(this.clock.now());
    if (expired > 0) count(METRICS.accountMailGivenUp, {}, expired);
    for (let sent = 0; sent < ROUND && this.relay; sent++) {
      const mail = await this.mails.claim(this.clock.now());
      if (!mail || !(await this.send(this.relay, mail))) return;
    }
  }

  /** Sends a mail. Returns whether to go on with the next one. */
  private async send(relay: Pick<Relay, 'send'>, mail: WaitingAccountMail): Promise<boolean> {
    try {
      await relay.send({ id: mail.mail_id, to: mail.recipient, at: mail.created_at, ...accountMailTextOf(mail) });
      count(METRICS.accountMailSent);
    } catch (error) {
      return this.failed(mail, error as SendFailure);
    }
    await this.mails.delete(mail.mail_id);
    return true;
  }

  private async failed({ mail_id, attempts }: WaitingAccountMail, error: SendFailure): Promise<boolean> {
    if (isRefusedForGood(error)) {
      count(METRICS.accountMailGivenUp);
      await this.mails.delete(mail_id);
      return true;
    }
    this.log.warn('a mail could not be sent and is tried again', { 'codase.attempt': attempts, 'error.type': codeOf(error) });
    await this.mails.postpone(mail_id, nextAttempt(attempts, this.clock.now()));
    return isAboutTheMail(error);
  }
}
