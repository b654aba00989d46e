import { Inject, Injectable } from '@nestjs/common';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { AUDIT_DB, BEGINNING, entriesAfter, presentEntry } from '../../foundation/audit/index.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { leafOf } from './log-leaf.ts';
import { addLeaves, lastLogged, lockLog, readHead } from './log.store.ts';
import { noteLeaves } from './logged-keys.store.ts';
import { METRICS } from './metrics.ts';

const EVERY_MS = 5000;
const BATCH = 500;
const MAX_BATCHES = 100;

/**
 * Adds the entries of the audit to the transparency log, in the order in which the audit is exported. It is no part of the transactions
 * that write them: these would wait for each other at the end of the log. One replica adds at a time.
 */
@Injectable()
export class LogAppend extends PeriodicWorker {
  constructor(
    @Inject(AUDIT_DB) private readonly db: DataSource,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'transparency_log', everyMs: EVERY_MS, failure: 'entries of the audit wait for the transparency log' }, log);
  }

  async round(): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const added = await this.db.transaction((tx) => this.append(tx));
      count(METRICS.leavesAdded, {}, added);
      if (added < BATCH) return;
    }
  }

  /** Adds the next entries. Returns how many. */
  private async append(tx: EntityManager): Promise<number> {
    if (!(await lockLog(tx))) return 0;
    const { log, tree } = await readHead(tx);
    if (!tree) throw new Error('the last leaf of the log says nothing of its subtrees');
    const rows = await entriesAfter(tx, (await lastLogged(tx)) ?? BEGINNING, { limit: BATCH, isSalted: true });
    const leaves = rows.map((row) => ({ epoch: row.epoch, txid: row.txid, seq: row.seq, hash: leafOf(presentEntry(row)) }));
    const first = tree.size;
    for (const { hash } of leaves) tree.add(hash);
    if (leaves.length > 0) await addLeaves(tx, leaves, tree);
    if (rows.some(({ act }) => act === 'key.logged')) await noteLeaves(tx, log, first);
    return leaves.length;
  }
}
