import { Inject, Injectable } from '@nestjs/common';
import { keyCommitment } from '@codase/crypto';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { AUDIT_DB, PLATFORM_INITIATOR } from '../../foundation/audit/index.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { lockLog } from './log.store.ts';
import { addKeyEntries, noteEntries, waitingKeys } from './logged-keys.store.ts';
import { METRICS } from './metrics.ts';

const EVERY_MS = 5000;
const BATCH = 500;
const MAX_BATCHES = 20;

/**
 * Adds an entry with a commitment to the audit for each public key of this base, and so a leaf to the transparency log: for new keys, for
 * those from before the log had keys, and for all of them in the new log after a restore. One replica adds at a time. @gap D1-8
 */
@Injectable()
export class KeyLogWorker extends PeriodicWorker {
  constructor(
    @Inject(AUDIT_DB) private readonly db: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'key_log', everyMs: EVERY_MS, failure: 'public keys wait for the transparency log' }, log);
  }

  async round(): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const added = await this.db.transaction((tx) => this.add(tx));
      count(METRICS.keysLogged, {}, added);
      if (added < BATCH) return;
    }
  }

  private async add(tx: EntityManager): Promise<number> {
    if (!(await lockLog(tx))) return 0;
    const [keys, at] = [await waitingKeys(tx, BATCH), this.clock.now()];
    if (keys.length === 0) return 0;
    const committed = await Promise.all(keys.map(async (key) => [await keyCommitment(key, key.salt), key] as const));
    const keyOf = new Map(committed);
    const entries = await addKeyEntries(tx, at, PLATFORM_INITIATOR, [...keyOf.keys()]);
    await noteEntries(
      tx,
      at,
      entries.map((entry) => ({ ...keyOf.get(entry.commitment)!, ...entry })),
    );
    return keys.length;
  }
}
