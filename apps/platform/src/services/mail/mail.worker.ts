import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { Modes } from '../../foundation/regions/index.ts';
import { RELAY, type Relay } from '../../access/account-mail/index.ts';
import { Digests } from './digests.service.ts';
import { Sender } from './sender.service.ts';
import { Transmission } from './transmission.service.ts';

export const MAIL_REGIONS = Symbol('regions that mail is sent for');

const EVERY_MS = 2000;
/** How long a stopping process waits. A mail that a slow relay is still checking is left behind, and another process sends it again. */
const LEAVE_MS = 3000;

/** Sends the mail of the given regions. Without a relay it only gives up mail that is too old. */
@Injectable()
export class MailWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly senders: ReadonlyMap<string, Sender>;
  private readonly digests: Digests;
  private rounds: Repeated[] = [];

  constructor(
    @Inject(MAIL_REGIONS) regions: readonly { region: string; db: DataSource }[],
    @Inject(RELAY) relay: Pick<Relay, 'send'> | null,
    @Inject(Modes) modes: Pick<Modes, 'isPaused'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {
    const transmission = new Transmission(relay, clock, log);
    const isPaused = (region: string) => modes.isPaused(region);
    this.senders = new Map(
      regions.map(({ region, db }) => [region, new Sender({ region, db, transmission, clock, isPaused: () => isPaused(region) })]),
    );
    this.digests = new Digests({ regions, transmission, clock, isPaused });
  }

  onApplicationBootstrap(): void {
    const senders = [...this.senders].map(([region, sender]) =>
      repeat(() => sender.round(), {
        name: 'mail',
        pauseMs: EVERY_MS,
        onFailure: (error) => this.log.error('sending mail failed and is tried again', { 'codase.region': region, error }),
      }),
    );
    const digests = repeat(() => this.digests.round(), {
      name: 'mail-digests',
      pauseMs: EVERY_MS,
      onFailure: (error) => this.log.error('sending digests failed and is tried again', { error }),
    });
    this.rounds = [...senders, digests];
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const sender of [...this.senders.values(), this.digests]) sender.leave();
    await Promise.race([Promise.all(this.rounds.map((round) => round.stop())), pause(LEAVE_MS, undefined, { ref: false })]);
  }
}
