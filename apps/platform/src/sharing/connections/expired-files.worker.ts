import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { Home, OwnMode } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { SharedFiles } from './shared-files.store.ts';
import { listExpiredFiles, markFileDeleted } from './values.store.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 100;

/** Deletes files that were shared once and whose time is over. Their digests stay. @gap D1-2.8 */
@Injectable()
export class ExpiredFiles extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(Home) private readonly home: Pick<Home, 'write'>,
    private readonly files: SharedFiles,
    @Inject(OwnMode) private readonly mode: Pick<OwnMode, 'isPaused'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'expired_files', everyMs: EVERY_MS, failure: 'expired files could not be removed' }, log);
  }

  /** Deletes the expired files and returns how many. The files of a company that has begun to move wait for a later round. */
  async round(): Promise<number> {
    let deleted = await this.deleteSome();
    for (let some = deleted; some === AT_ONCE; deleted += some) some = await this.deleteSome();
    return deleted;
  }

  private async deleteSome(): Promise<number> {
    if (this.mode.isPaused()) return 0;
    const expired = await listExpiredFiles(this.db, this.clock.now(), AT_ONCE);
    for (const { company_user_id, shared_value_id } of expired) {
      await this.home.write(company_user_id, async (tx) => {
        await this.files.forget(tx, shared_value_id);
        await markFileDeleted(tx, shared_value_id);
      });
    }
    return expired.length;
  }
}
