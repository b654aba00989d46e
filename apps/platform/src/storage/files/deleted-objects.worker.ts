import { Inject, Injectable } from '@nestjs/common';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { FILE_SETTINGS, OBJECT_STORE, type FileSettings } from './files.service.ts';
import type { ObjectStore } from './file-store.ts';
import { METRICS } from './metrics.ts';
import { removeDeleted, takeDeletions } from './stored-objects.store.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 100;
const MAX_BATCHES = 20;
const DAY_SECONDS = 86_400;

/**
 * Deletes objects whose files are gone. It waits some days first, so that a database restored from a backup still finds the objects of its
 * files. A process that died between deleting the object and deleting its row deletes the object once more, which S3 answers as a success.
 */
@Injectable()
export class DeletedObjects extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly store: ObjectStore | null,
    @Inject(FILE_SETTINGS) private readonly settings: FileSettings,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'deleted_objects', everyMs: EVERY_MS, failure: 'objects could not be deleted from the object store' }, log);
  }

  /** Returns how many objects were deleted. An object that the store refuses to delete is due again later, and ends the round. */
  async round(): Promise<number> {
    if (!this.store) return 0;
    const due = { afterSeconds: this.settings.deleteAfterDays * DAY_SECONDS, most: AT_ONCE };
    let deleted = 0;
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const keys = await takeDeletions(this.db, due);
      for (const key of keys) {
        await this.store.delete(key);
        await removeDeleted(this.db, [key]);
        count(METRICS.objectsDeleted);
        deleted++;
      }
      if (keys.length < AT_ONCE) break;
    }
    return deleted;
  }
}
