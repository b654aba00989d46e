import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { PeriodicWorker } from '../periodic-worker.service.ts';
import { HERE, Modes, type Here } from '../regions/index.ts';
import { removeWaiting } from './run-files.store.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 20;
/** Longer than anybody fills a form, or stages what a start needs. @gap D2-8 */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Deletes files that no run and no answer took: their start or their turn was refused, or given up. */
@Injectable()
export class AbandonedRunFiles extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(Modes) private readonly modes: Pick<Modes, 'isPausedHere'>,
    @Inject(HERE) private readonly here: Here,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'abandoned_run_files', everyMs: EVERY_MS, failure: 'files that no run took could not be deleted' }, log);
  }

  /** Answers how many went. */
  async round(): Promise<number> {
    if (this.modes.isPausedHere(this.here)) return 0;
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    let removed = 0;
    for (let some = AT_ONCE; some === AT_ONCE;) {
      some = await removeWaiting(this.db, before, AT_ONCE);
      removed += some;
    }
    return removed;
  }
}
