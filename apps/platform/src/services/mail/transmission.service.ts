import type { Clock } from '@codase/runtime/clock';
import { count, type Log } from '@codase/runtime/telemetry';
import {
  codeOf,
  isAboutTheMail,
  isRefusedForGood,
  nextAttempt,
  type OutgoingMail,
  type Relay,
  type SendFailure,
} from '../../access/account-mail/index.ts';
import { METRICS } from './metrics.ts';
import type { Outbox, WaitingMail } from './outbox.store.ts';

/** Mails of one region that go out as one message. */
export interface Batch {
  region: string;
  outbox: Outbox;
  mails: readonly WaitingMail[];
}

/** How an attempt ended. `postponed` says nothing about the next message; after `relay_failed` the next would fail too. */
type Outcome = 'sent' | 'refused' | 'postponed' | 'relay_failed';

/** Hands messages to the relay, and writes the result into the outboxes. */
export class Transmission {
  constructor(
    /** Null when no relay is configured: then no mail is sent. */
    private readonly relay: Pick<Relay, 'send'> | null,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  get hasRelay(): boolean {
    return this.relay !== null;
  }

  /** Sends a message. Mails that the relay has taken or refused for good leave the outbox, others are tried again. */
  async send(message: OutgoingMail, batches: readonly Batch[]): Promise<Outcome> {
    try {
      await this.relay!.send(message);
    } catch (error) {
      return this.failed(batches, error as SendFailure);
    }
    for (const { outbox, mails } of batches) for (const mail of mails) await outbox.sent(mail);
    count(METRICS.mailSent, { 'codase.region': regionOf(batches) });
    return 'sent';
  }

  async giveUp({ region, outbox, mails }: Batch, why: string): Promise<void> {
    for (const mail of mails) {
      if (!(await outbox.giveUp(mail, why, this.clock.now()))) continue;
      count(METRICS.mailGivenUp, { 'codase.region': region });
      this.log.error('a mail is given up; the log of its service says why', {
        'codase.region': region,
        'messaging.message.id': mail.mail_id,
        'codase.attempt': mail.attempts,
      });
    }
  }

  private async failed(batches: readonly Batch[], error: SendFailure): Promise<Outcome> {
    const region = regionOf(batches);
    count(METRICS.mailFailed, { 'codase.region': region, 'error.type': error.code ?? 'unknown' });
    if (isRefusedForGood(error)) {
      for (const batch of batches) await this.giveUp(batch, `the mail server refused it for good (${error.responseCode})`);
      return 'refused';
    }
    const attempts = Math.max(...batches.flatMap(({ mails }) => mails.map((mail) => mail.attempts)));
    this.log.warn('a mail could not be sent and is tried again', {
      'codase.region': region,
      'codase.attempt': attempts,
      'error.type': codeOf(error),
    });
    const next_at = nextAttempt(attempts, this.clock.now());
    for (const { outbox, mails } of batches) for (const mail of mails) await outbox.postpone(mail, next_at);
    return isAboutTheMail(error) ? 'postponed' : 'relay_failed';
  }
}

/** Returns the first region that has mails in the message: a message is counted once. */
const regionOf = (batches: readonly Batch[]): string => batches.find(({ mails }) => mails.length > 0)!.region;
