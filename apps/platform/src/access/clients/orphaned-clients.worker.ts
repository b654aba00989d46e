import { Inject, Injectable } from '@nestjs/common';
import type { ProjectionReader } from '@codase/runtime/bus';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import type { CLIENTS } from './client-row.ts';
import { CLIENT_ROWS } from './clients-replica.service.ts';
import { ClientsTable } from './clients-table.service.ts';
import { ClientsStore } from './clients.store.ts';

/** Longer than a transaction may last between publishing a client and committing it. */
const EVERY_MS = 60_000;

/** Removes clients from the bucket that the table does not have: otherwise clients of a database that is gone would stay valid for ever. */
@Injectable()
export class OrphanedClients extends PeriodicWorker {
  private suspects: ReadonlySet<string> = new Set();
  constructor(
    private readonly table: ClientsTable,
    private readonly store: ClientsStore,
    @Inject(CLIENT_ROWS) private readonly published: ProjectionReader<typeof CLIENTS.shape>,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'orphaned_clients', everyMs: EVERY_MS, failure: 'published clients could not be compared with the table' }, log);
  }

  /** Removes clients that are missing in the table twice in a row, and so are not just being added to it. Returns how many were removed. */
  async round(): Promise<number> {
    const missing = await this.store.missing(this.published.all().map(({ client_id }) => client_id));
    const orphans = missing.filter((client_id) => this.suspects.has(client_id));
    for (const client_id of orphans) await this.table.republish(client_id);
    this.suspects = new Set(missing);
    if (orphans.length > 0)
      this.log.warn('published clients that the table does not have were taken back', { 'codase.count': orphans.length });
    return orphans.length;
  }
}
