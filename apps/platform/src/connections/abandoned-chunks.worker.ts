import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { PeriodicWorker } from '../periodic-worker.service.ts';
import { HERE, Modes, type Here } from '../regions/index.ts';
import { REGION_DB } from '../databases.ts';
import { removeChunks } from './chunks.store.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 1000;
/** Far longer than anybody takes to send one. */
const KEPT_MS = 10 * 60_000;

/** Removes pieces whose sender died or gave up. @gap D1-1 */
@Injectable()
export class AbandonedChunks extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(Modes) private readonly modes: Pick<Modes, 'isPausedHere'>,
    @Inject(HERE) private readonly here: Here,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'abandoned_chunks', everyMs: EVERY_MS, failure: 'abandoned chunks could not be removed' }, log);
  }

  /** Answers how many went. */
  async round(): Promise<number> {
    if (this.modes.isPausedHere(this.here)) return 0;
    return removeChunks(this.db, new Date(this.clock.now().getTime() - KEPT_MS), AT_ONCE);
  }
}
