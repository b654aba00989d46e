import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { ClientsTable } from './clients-table.service.ts';
import { ClientsStore } from './clients.store.ts';

const EVERY_MS = 60_000;
const BATCH = 500;

/** Deletes the hashes of old secrets that are no longer valid. */
@Injectable()
export class EndedSecrets extends PeriodicWorker {
  constructor(
    private readonly table: ClientsTable,
    private readonly store: ClientsStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'ended_secrets', everyMs: EVERY_MS, failure: 'old secrets that have ended could not be forgotten' }, log);
  }

  async round(): Promise<void> {
    const now = this.clock.now();
    for (const client_id of await this.store.endedSecrets(now, BATCH))
      await this.table.change(client_id, (tx) => this.store.forgetEndedSecret(client_id, now, tx));
  }
}
