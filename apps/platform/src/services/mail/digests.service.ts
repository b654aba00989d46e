import type { Clock } from '@codase/runtime/clock';
import type { DataSource } from 'typeorm';
import { nextDay } from './mail-quota.store.ts';
import { deleteOldDigests, digestId, returnDigest, takeDigest } from './mail-digest.store.ts';
import { digestTextOf } from './mail-text.ts';
import { Outbox, type DueAlert } from './outbox.store.ts';
import type { Batch, Transmission } from './transmission.service.ts';

interface DigestParts {
  regions: readonly { region: string; db: DataSource }[];
  transmission: Transmission;
  clock: Clock;
  isPaused(region: string): boolean;
}

type AlertBatch = Batch & { mails: DueAlert[] };

/**
 * Sends the alerts to addresses that are not confirmed: one digest per day and address, for all regions together. Several processes share
 * the work. The database of the first region by name says which digests are taken. @gap D1-2.4
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

  /** Sends every digest that is due. The round ends when the relay fails, because the next would fail for the same reason. */
  async round(): Promise<void> {
    if (!this.taken || !this.parts.transmission.hasRelay) return;
    await deleteOldDigests(this.taken, this.parts.clock.now());
    for (const { outbox } of this.open()) {
      for (const recipient of await outbox.unconfirmedRecipients(this.parts.clock.now())) {
        if (this.isLeaving || !(await this.send(this.taken, recipient))) return;
      }
    }
  }

  /** Stops the round before its next digest. */
  leave(): void {
    this.isLeaving = true;
  }

  /** Returns whether the round goes on. */
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
    if (result !== 'sent' && result !== 'refused') await returnDigest(taken, recipient, now);
    return result !== 'relay_failed';
  }

  /** Claims the alerts to an address, also those for tomorrow: another process may have postponed them since the digest was taken. */
  private async claim(recipient: string, now: Date): Promise<AlertBatch[]> {
    const batches: AlertBatch[] = [];
    for (const { region, outbox } of this.open())
      batches.push({ region, outbox, mails: await outbox.claimAlerts(recipient, nextDay(now)) });
    return batches;
  }

  /** Returns the outboxes of the regions that are not paused: nothing is written in a paused region. */
  private open() {
    return this.outboxes.filter(({ region }) => !this.parts.isPaused(region));
  }
}
