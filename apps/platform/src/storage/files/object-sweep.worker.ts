import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { count, LOG, observe, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import type { ObjectStore } from './file-store.ts';
import { Files, OBJECT_STORE } from './files.service.ts';
import { METRICS } from './metrics.ts';
import { isObjectKey } from './object-keys.ts';
import {
  abandonUploads,
  adoptOrphans,
  countObjects,
  endSweep,
  leaseSweep,
  listStoredBetween,
  noteMissing,
  type ObjectCounts,
} from './stored-objects.store.ts';

const EVERY_MS = 60_000;
const PAGE = 1000;
/** Pages of one round: a sweep of 10 million objects takes half a day. */
const PAGES = 20;
/** The time from the end of one sweep to the start of the next, and how long a replica that died keeps the others from going on. */
const SWEEP = { everySeconds: 6 * 3600, leaseSeconds: 300 };
/** The age at which an upload is given up: far longer than an upload takes. */
const UPLOAD_SECONDS = 3600;

/**
 * Compares the object store with the rows of the database. Uploads that never ended and objects without a row are marked for deletion.
 * Files whose object is missing are counted and logged, never deleted: an operator can bring an object back.
 */
@Injectable()
export class ObjectSweep extends PeriodicWorker implements OnApplicationBootstrap {
  private counts: ObjectCounts | undefined;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly store: ObjectStore | null,
    private readonly files: Files,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'object_sweep', everyMs: EVERY_MS, failure: 'the object store could not be compared with the rows' }, log);
  }

  private stopObserving: readonly (() => void)[] = [];

  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    this.stopObserving = [
      observe(METRICS.objects, () => {
        const { uploading = 0, stored = 0, deleting = 0 } = this.counts ?? {};
        return [
          [uploading, { 'codase.state': 'uploading' }],
          [stored, { 'codase.state': 'stored' }],
          [deleting, { 'codase.state': 'deleting' }],
        ];
      }),
      observe(METRICS.objectsMissing, () => [[this.counts?.missing ?? 0]]),
    ];
  }

  override async beforeApplicationShutdown(): Promise<void> {
    for (const stop of this.stopObserving) stop();
    await super.beforeApplicationShutdown();
  }

  async round(): Promise<void> {
    try {
      if (!this.store) return;
      count(METRICS.objectsOrphaned, {}, await abandonUploads(this.db, UPLOAD_SECONDS, PAGE));
      const cursor = await leaseSweep(this.db, SWEEP);
      if (cursor !== undefined) await this.sweep(this.store, cursor);
    } finally {
      this.counts = await countObjects(this.db);
    }
  }

  /** Sweeps some pages. A replica that dies meanwhile leaves the cursor where it was, so that its pages are read again. */
  private async sweep(store: ObjectStore, from: string): Promise<void> {
    let after: string | null = from;
    try {
      for (let page = 0; page < PAGES && after !== null; page++) after = await this.page(store, after);
    } finally {
      await endSweep(this.db, after);
    }
  }

  /**
   * Sweeps one page. Returns the last key of the page; null when there are no more pages. A store that lists few keys, as an emptied bucket
   * does, may lack millions that have rows: then the page ends with the last row that was compared.
   */
  private async page(store: ObjectStore, after: string): Promise<string | null> {
    const prefix = await this.files.keyPrefix();
    const { keys, isLast } = await store.list(prefix, after, PAGE);
    // The store is listed before the rows are read: a row is written before its object, so that a listed object without a row is an orphan.
    const own = keys.filter((key) => isObjectKey(prefix, key));
    const orphans = await adoptOrphans(this.db, own);
    if (orphans > 0) {
      count(METRICS.objectsOrphaned, {}, orphans);
      this.log.warn('objects without a row are in the object store: they are deleted later', { 'codase.count': orphans });
    }
    const lastListed = isLast ? null : (keys.at(-1) ?? null);
    const expected = await listStoredBetween(this.db, after, lastListed, PAGE);
    await this.compare(store, new Set(keys), expected);
    return expected.length < PAGE ? lastListed : expected.at(-1)!;
  }

  /** Notes which objects are missing. The list of some stores lags behind, so each object that it lacks is asked for on its own. */
  private async compare(store: ObjectStore, listed: ReadonlySet<string>, expected: readonly string[]): Promise<void> {
    const missing: string[] = [];
    for (const key of expected) if (!listed.has(key) && !(await store.has(key))) missing.push(key);
    const newly = await noteMissing(this.db, missing, [...listed]);
    if (newly > 0) this.log.error('objects of files are missing in the object store', { 'codase.count': newly });
  }
}
