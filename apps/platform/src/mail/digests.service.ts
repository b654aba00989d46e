import type { Clock } from '@cds/runtime/clock';
import type { DataSource } from 'typeorm';
import { nextDay } from './days.ts';
import { deleteOldDigests, digestId, returnDigest, takeDigest } from './mail-digest.store.ts';
import { digestTextOf } from './mail-text.ts';
import { Outbox, type DueAlert } from './outbox.store.ts';
import type { Batch, Transmission } from './transmission.service.ts';

export interface DigestParts {
  regions: readonly { region: string; db: DataSource }[];
  transmission: Transmission;
  clock: Clock;
  isPaused(region: string): boolean;
}

type AlertBatch = Batch & { mails: DueAlert[] };

/**
 * Sends the alerts to addresses that are not confirmed: one digest a day and address, of all regions together. Several processes share the
 * work; which digests were taken is in the database of the first region by name. @gap D1-2.4
 */
export class Digests {
  private readonly outboxes: readonly { region: string; outbox: Outbox }[];
  private readonly taken: DataSource | undefined;
  private isLeaving = false;

  constructor(private readonly parts: DigestParts) {
    const byName = parts.regions.toSorted((one, other) => (one.region < other.region ? -1 : 1));
    this.outboxes = byName.map(({ region, db }) => ({ region, outbox: new Outbox(db) }));
    this.taken = byName[0]?.db;
  }

  /** Every digest that is due. It ends with the first that has to wait: what kept that one would keep the next. */
  async round(): Promise<void> {
    if (!this.taken || !this.parts.transmission.hasRelay) return;
    await deleteOldDigests(this.taken, this.parts.clock.now());
    for (const { outbox } of this.open()) {
      for (const recipient of await outbox.unconfirmedRecipients(this.parts.clock.now())) {
        if (this.isLeaving || !(await this.send(this.taken, recipient))) return;
      }
    }
  }

  /** Nothing more is begun. */
  leave(): void {
    this.isLeaving = true;
  }

  /** Answers whether to go on. */
  private async send(taken: DataSource, recipient: string): Promise<boolean> {
    const now = this.parts.clock.now();
    if (!(await takeDigest(taken, recipient, now))) {
      for (const { outbox } of this.open()) await outbox.postponeAlerts(recipient, nextDay(now), now);
      return true;
    }
    const batches = await this.claim(recipient, now).catch(async (error: unknown) => {
      await returnDigest(taken, recipient, now);
      throw error;
    });
    const alerts = batches.flatMap(({ mails }) => mails);
    const message = { id: digestId(recipient, now), to: recipient, at: now, ...digestTextOf(alerts) };
    const result = alerts.length === 0 ? 'empty' : await this.parts.transmission.send(message, batches);
    if (result === 'empty' || result === 'postponed') await returnDigest(taken, recipient, now);
    return result !== 'postponed';
  }

  /** Also what waits for tomorrow: another process may have put it off since the digest was taken. */
  private async claim(recipient: string, now: Date): Promise<AlertBatch[]> {
    const batches: AlertBatch[] = [];
    for (const { region, outbox } of this.open())
      batches.push({ region, outbox, mails: await outbox.claimAlerts(recipient, nextDay(now)) });
    return batches;
  }

  /** Nothing is written in a region that is paused. */
  private open() {
    return this.outboxes.filter(({ region }) => !this.parts.isPaused(region));
  }
}
