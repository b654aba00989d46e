import type { Clock } from '@codase/runtime/clock';
import type { DataSource } from 'typeorm';
import { expiredBefore, GIVE_UP_HOURS } from '../../access/account-mail/index.ts';
import { mailTextOf } from './mail-text.ts';
import { Outbox } from './outbox.store.ts';
import type { Transmission } from './transmission.service.ts';

interface SenderParts {
  region: string;
  db: DataSource;
  transmission: Transmission;
  clock: Clock;
  isPaused(): boolean;
}

/** How many mails are sent in one round. */
const ROUND = 100;

/** Sends the mail of one region, at least once: codes, and alerts to confirmed addresses. Several processes share the work. @spec D1-6.3 */
export class Sender {
  private readonly outbox: Outbox;
  private isLeaving = false;

  constructor(private readonly parts: SenderParts) {
    this.outbox = new Outbox(parts.db);
  }

  /** Sends all mail that is due. The round ends when the relay fails, because the next mail would fail for the same reason. */
  async round(): Promise<void> {
    if (this.parts.isPaused()) return;
    await this.giveUpOld();
    if (!this.parts.transmission.hasRelay) return;
    for (let sent = 0; sent < ROUND && !this.isLeaving; sent += 1) {
      if (!(await this.sendNext())) return;
    }
  }

  /** Stops the round before its next mail. */
  leave(): void {
    this.isLeaving = true;
  }

  /** Returns whether the round goes on. */
  private async sendNext(): Promise<boolean> {
    const { region, transmission, clock } = this.parts;
    const now = clock.now();
    const mail = await this.outbox.claim(now);
    if (!mail) return false;
    const message = { id: mail.mail_id, to: mail.recipient, at: now, ...mailTextOf(mail) };
    return (await transmission.send(message, [{ region, outbox: this.outbox, mails: [mail] }])) !== 'relay_failed';
  }

  private async giveUpOld(): Promise<void> {
    const { region, transmission, clock } = this.parts;
    const mails = await this.outbox.writtenBefore(expiredBefore(clock.now()));
    await transmission.giveUp({ region, outbox: this.outbox, mails }, `it could not be sent within ${GIVE_UP_HOURS} hours`);
  }
}
