import { Inject, Injectable } from '@nestjs/common';
import { MESSAGE_DAYS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { Retention } from '../../kit/workers/retention.service.ts';
import { deleteOldMessages } from './messages.store.ts';
import { METRICS } from './metrics.ts';

const KEPT_MS = MESSAGE_DAYS * 24 * 60 * 60 * 1000;

/** Deletes messages whose retention is over. @gap D1-8 */
@Injectable()
export class MessageRetention extends Retention {
  constructor(
    @Inject(REGION_DB) db: Db,
    @Inject(OwnMode) mode: Pick<OwnMode, 'isPaused'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super(db, log, {
      name: 'message_retention',
      expired: (most) => deleteOldMessages(new Date(clock.now().getTime() - KEPT_MS), most),
      deleted: METRICS.expired,
      isPaused: () => mode.isPaused(),
    });
  }
}
