import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { ABANDONED, type Abandoned } from './files.hook.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 20;

/** Deletes uploads that no act took: the act was refused or given up, or its process died. @gap D1-1 */
@Injectable()
export class AbandonedUploads extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(ABANDONED) private readonly kinds: readonly Abandoned[],
    @Inject(OwnMode) private readonly mode: Pick<OwnMode, 'isPaused'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'abandoned_uploads', everyMs: EVERY_MS, failure: 'uploads that no act took could not be deleted' }, log);
  }

  /** Returns how many rows were deleted. */
  async round(): Promise<number> {
    if (this.mode.isPaused()) return 0;
    let removed = 0;
    for (const kind of this.kinds) removed += await this.removeAll(kind);
    return removed;
  }

  private async removeAll(kind: Abandoned): Promise<number> {
    const before = new Date(this.clock.now().getTime() - kind.keptMs);
    let removed = 0;
    for (let some = AT_ONCE; some === AT_ONCE;) {
      some = await kind.removeAbandoned(this.db, before, AT_ONCE);
      removed += some;
    }
    return removed;
  }
}
