import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { NotificationListener } from '../../kit/outbox/notification-listener.service.ts';
import { OwnMode } from '../regions/index.ts';
import { APP_EVENT_NOTIFICATION } from './events.store.ts';
import { AppEventOutbox } from './app-event-outbox.service.ts';
import { OUTBOX_NOTIFICATION } from './outbox.store.ts';
import { APP_EVENTS_DB } from './log-reader.service.ts';
import { AppEventStreams } from './app-event-streams.service.ts';

const EVERY_MS = { listen: 2000, compare: 15_000 } as const;
/** The pauses between looks into the outbox. The worker is woken for new events, so it looks less often while none waits. */
const OUTBOX_MS = { due: 1000, idle: 5000 } as const;

/**
 * Wakes streams for new events, and hands events over to other regions. It also looks from time to time, in case a notification was lost.
 */
@Injectable()
export class AppEventNotifications implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly listener: NotificationListener;
  private listening: Repeated | undefined;
  private comparing: Repeated | undefined;
  private handingOver: Repeated | undefined;

  constructor(
    @Inject(APP_EVENTS_DB) db: DataSource,
    private readonly outbox: AppEventOutbox,
    private readonly streams: AppEventStreams,
    private readonly mode: OwnMode,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.listener = new NotificationListener(db, {
      [APP_EVENT_NOTIFICATION]: (person_user_id) => streams.wake(person_user_id),
      [OUTBOX_NOTIFICATION]: () => this.handingOver?.wake(),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const failed = (what: string) => (error: unknown) => this.log.error(`${what} failed and is tried again`, { error });
    this.handingOver = repeat(() => this.handOver(), {
      name: 'app_event_outbox',
      pauseMs: (wasDue) => (wasDue ? OUTBOX_MS.due : OUTBOX_MS.idle),
      backoff: { firstMs: OUTBOX_MS.due, longestMs: 30_000 },
      onFailure: failed('handing over events for phones'),
    });
    this.comparing = repeat(() => this.streams.wakeLagging(), {
      name: 'app_event_streams',
      pauseMs: EVERY_MS.compare,
      onFailure: failed('comparing the streams of phones with their logs'),
    });
    this.listening = repeat(() => this.listen(), {
      name: 'app_event_notifications',
      pauseMs: EVERY_MS.listen,
      onFailure: failed('listening for new events for phones'),
    });
    await this.listening.first;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.listening?.stop(), this.comparing?.stop(), this.handingOver?.stop()]);
    await this.listener.close();
  }

  /** Starts to listen, and looks for events that came while nobody listened. */
  private async listen(): Promise<void> {
    if (!(await this.listener.listen())) return;
    this.handingOver?.wake();
    this.comparing?.wake();
  }

  private async handOver(): Promise<boolean> {
    return !this.mode.isPaused() && (await this.outbox.round());
  }
}
