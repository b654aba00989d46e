import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { ProjectionReader } from '@cds/runtime/bus';
import { repeat, type Repeated } from '@cds/runtime/resilience';
import { LOG, type Log } from '@cds/runtime/telemetry';
import type { CLIENTS } from './client-row.ts';
import { CLIENT_ROWS } from './clients-replica.service.ts';
import { ClientsTable } from './clients-table.service.ts';
import { ClientsStore } from './clients.store.ts';

/** Longer than a transaction may last that has published a client and not yet committed it. */
const EVERY_MS = 60_000;

/** Takes clients out of the bucket that the table does not have: those of a database that is gone would hold for ever. */
@Injectable()
export class OrphanedClients implements OnApplicationBootstrap, OnApplicationShutdown {
  private suspects: ReadonlySet<string> = new Set();
  private sweeping: Repeated | undefined;

  constructor(
    private readonly table: ClientsTable,
    private readonly store: ClientsStore,
    @Inject(CLIENT_ROWS) private readonly published: ProjectionReader<typeof CLIENTS.shape>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeping = repeat(() => this.sweep(), {
      name: 'orphaned_clients',
      pauseMs: EVERY_MS,
      onFailure: (error) => this.log.error('published clients could not be compared with the table', { error }),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeping?.stop();
  }

  /** One that is missing twice in a row is no longer on its way into the table. Answers how many were taken out. */
  async sweep(): Promise<number> {
    const missing = await this.store.missing(this.published.all().map(({ client_id }) => client_id));
    const orphans = missing.filter((client_id) => this.suspects.has(client_id));
    for (const client_id of orphans) await this.table.republish(client_id);
    this.suspects = new Set(missing);
    if (orphans.length > 0)
      this.log.warn('published clients that the table does not have were taken back', { 'cds.count': orphans.length });
    return orphans.length;
  }
}
