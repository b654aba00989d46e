import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { METRICS } from './metrics.ts';
import { ServiceTransitions } from './service-transitions.service.ts';
import { listOverdueTransitions } from './transitions.store.ts';

const EVERY_MS = 5000;
const AT_ONCE = 10;

/** Finishes transitions of services that a crash, or a front door that did not answer, left between their steps. @spec D1-5.8 */
@Injectable()
export class ServiceTransitionsWorker extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly transitions: ServiceTransitions,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'service_transitions', everyMs: EVERY_MS, failure: 'transitions of services could not be finished' }, log);
  }

  async round(): Promise<void> {
    if (this.mode.isPaused()) return;
    const overdue = await listOverdueTransitions(this.db, this.clock.now(), AT_ONCE);
    if (overdue.length > 0) count(METRICS.transitionsResumed, {}, overdue.length);
    const ends = await Promise.allSettled(overdue.map((own) => this.transitions.resume(own)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
