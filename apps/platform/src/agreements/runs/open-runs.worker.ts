import { Inject, Injectable } from '@nestjs/common';
import { LOG, read, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { METRICS } from './metrics.ts';
import { countOpen } from './runs.store.ts';

const EVERY_MS = 60_000;

/** Measures how many runs of the region are open, by what they wait for. */
@Injectable()
export class OpenRuns extends PeriodicWorker {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'open_runs', everyMs: EVERY_MS, failure: 'open runs could not be counted' }, log);
  }

  async round(): Promise<void> {
    const { awaiting, generating, awaiting_signature } = await countOpen(this.db);
    read(METRICS.open, awaiting, { 'codase.state': 'awaiting' });
    read(METRICS.open, generating, { 'codase.state': 'generating' });
    read(METRICS.open, awaiting_signature, { 'codase.state': 'awaiting_signature' });
  }
}
