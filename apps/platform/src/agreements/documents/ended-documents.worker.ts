import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { dayOf } from './document-row.ts';
import { DocumentEndings } from './document-endings.service.ts';
import { hasOverdue, lockOverdue } from './documents.store.ts';
import { METRICS } from './metrics.ts';

const EVERY_MS = 5000;
const AT_ONCE = 100;

/** Ends cancelled documents when their last day has come. Replicas divide them up by locking the rows. @spec D1-3.3 @gap D1-3.3 */
@Injectable()
export class EndedDocuments extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly endings: DocumentEndings,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'ended_documents', everyMs: EVERY_MS, failure: 'documents whose last day has come could not be ended' }, log);
  }

  /** Ends documents in batches, so that no transaction locks many. Returns how many ended. */
  async round(): Promise<number> {
    if (this.mode.isPaused() || !(await hasOverdue(this.db, dayOf(this.clock.now())))) return 0;
    let ended = 0;
    for (let some = AT_ONCE; some === AT_ONCE;) {
      some = await this.endSome();
      ended += some;
    }
    return ended;
  }

  private async endSome(): Promise<number> {
    const ended = await this.db.transaction(async (tx) => {
      const documents = await lockOverdue(tx, dayOf(this.clock.now()), AT_ONCE);
      await this.endings.end(tx, documents, 'end date reached');
      return documents.length;
    });
    for (let nth = 0; nth < ended; nth++) count(METRICS.ended);
    return ended;
  }
}
