import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { repeat, type Repeated } from '@cds/runtime/resilience';
import { LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { NotificationListener } from '../notification-listener.service.ts';
import { HERE, Modes, type Here } from '../regions/index.ts';
import { AppEventOutbox } from './outbox.service.ts';
import { OUTBOX_NOTIFICATION } from './outbox.store.ts';

/** Connections of this capability: one listens, the others read events for the streams. */
export const APP_EVENTS_DB = Symbol('connections of app events');

const EVERY_MS = { listen: 2000, outbox: 1000 } as const;

/** Hears of new events, and hands over those of other regions. A notification that is lost is made up for by looking from time to time. */
@Injectable()
export class AppEventNotifications implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly listener: NotificationListener;
  private listening: Repeated | undefined;
  private handingOver: Repeated | undefined;

  constructor(
    @Inject(APP_EVENTS_DB) db: DataSource,
    private readonly outbox: AppEventOutbox,
    private readonly modes: Modes,
    @Inject(HERE) private readonly here: Here,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.listener = new NotificationListener(db, { [OUTBOX_NOTIFICATION]: () => this.handingOver?.wake() });
  }

  async onApplicationBootstrap(): Promise<void> {
    this.handingOver = repeat(() => this.handOver(), {
      name: 'app_event_outbox',
      pauseMs: (hasMore) => (hasMore ? 0 : EVERY_MS.outbox),
      backoff: { firstMs: EVERY_MS.outbox, longestMs: 30_000 },
      onFailure: (error) => this.log.error('events for phones could not be handed over', { error }),
    });
    this.listening = repeat(() => this.listen(), {
      name: 'app_event_notifications',
      pauseMs: EVERY_MS.listen,
      onFailure: (error) => this.log.error('the notifications of new events for phones are not heard', { error }),
    });
    await this.listening.first;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.listening?.stop(), this.handingOver?.stop()]);
    await this.listener.close();
  }

  private async listen(): Promise<void> {
    if (await this.listener.listen()) this.handingOver?.wake();
  }

  private async handOver(): Promise<boolean> {
    if (this.modes.isPausedHere(this.here)) return false;
    const hasMore = await this.outbox.handOver();
    if (!hasMore) await this.outbox.giveUpOld();
    return hasMore;
  }
}
