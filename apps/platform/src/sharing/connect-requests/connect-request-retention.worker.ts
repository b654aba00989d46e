import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { Retention } from '../../kit/workers/retention.service.ts';
import { forgottenBefore } from './may-ask.ts';
import { METRICS } from './metrics.ts';
import { deleteForgotten } from './requests.store.ts';

/** Deletes requests that nobody answered in time, and those that were rejected long enough ago. @gap D1-8 */
@Injectable()
export class ConnectRequestRetention extends Retention {
  constructor(
    @Inject(REGION_DB) db: Db,
    @Inject(OwnMode) mode: Pick<OwnMode, 'isPaused'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super(db, log, {
      name: 'connect_request_retention',
      expired: (most) => deleteForgotten(forgottenBefore(clock.now()), most),
      deleted: METRICS.expired,
      isPaused: () => mode.isPaused(),
    });
  }
}
