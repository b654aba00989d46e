import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { Db } from '@cds/runtime/db';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import { REGION_DB } from '../databases.ts';
import { PeriodicWorker } from '../periodic-worker.service.ts';
import { OwnMode } from '../regions/index.ts';
import { ClaimPlugins } from './claim-plugins.service.ts';
import { listDue } from './claim-plugins.store.ts';
import { METRICS } from './metrics.ts';

const EVERY_MS = 5000;
const AT_ONCE = 10;

/** Frees plugins that no claim uses any more, because a change of the app was interrupted. */
@Injectable()
export class ClaimPluginsWorker extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly plugins: ClaimPlugins,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super(
      { name: 'claim_plugins', everyMs: EVERY_MS, failure: 'the plugins of sign-in apps could not be compared with the front door' },
      log,
    );
  }

  async round(): Promise<void> {
    if (this.mode.isPaused()) return;
    const due = await listDue(this.db, this.clock.now(), AT_ONCE);
    const ends = await Promise.allSettled(due.map((own) => this.plugins.compare(own)));
    const forgotten = ends.reduce((sum, end) => sum + (end.status === 'fulfilled' ? end.value : 0), 0);
    if (forgotten > 0) count(METRICS.notesForgotten, {}, forgotten);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
