import { Inject, Injectable } from '@nestjs/common';
import { APP_EVENTS_KEPT } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../regions/index.ts';
import { Retention } from '../../kit/workers/retention.service.ts';
import { deleteOldEvents } from './events.store.ts';
import { METRICS } from './metrics.ts';

export const KEPT_MS = APP_EVENTS_KEPT.hours * 60 * 60 * 1000;

/** Deletes events that are kept no longer. @gap D1-8 */
@Injectable()
export class AppEventRetention extends Retention {
  constructor(@Inject(REGION_DB) db: DataSource, mode: OwnMode, @Inject(CLOCK) clock: Clock, @Inject(LOG) log: Log) {
    super(db, log, {
      name: 'app_events',
      expired: (most) => deleteOldEvents(new Date(clock.now().getTime() - KEPT_MS), most),
      deleted: METRICS.appEventsExpired,
      isPaused: () => mode.isPaused(),
    });
  }
}
