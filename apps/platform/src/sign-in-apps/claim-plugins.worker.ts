import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { Db } from '@cds/runtime/db';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import { REGION_DB } from '../databases.ts';
import { PeriodicWorker } from '../periodic-worker.service.ts';
import { OwnMode } from '../regions/index.ts';
import { ClaimPlugins } from './claim-plugins.service.ts';
import { listUnfinished } from './claim-plugins.store.ts';
import { METRICS } from './metrics.ts';

const EVERY_MS = 5000;
const AT_ONCE = 10;

/** Finishes changes of sign-in apps that a crash, or a front door that did not answer, left between their steps. */
@Injectable()
export class ClaimPluginsWorker extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly plugins: ClaimPlugins,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'claim_plugins', everyMs: EVERY_MS, failure: 'changes of sign-in apps could not be finished' }, log);
  }

  async round(): Promise<void> {
    if (this.mode.isPaused()) return;
    const unfinished = await listUnfinished(this.db, this.clock.now(), AT_ONCE);
    if (unfinished.length > 0) count(METRICS.changesResumed, {}, unfinished.length);
    const ends = await Promise.allSettled(unfinished.map((own) => this.plugins.resume(own)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
