import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { repeat, type Repeated } from '@cds/runtime/resilience';
import { LOG, type Log } from '@cds/runtime/telemetry';
import { ClientsTable } from './clients-table.service.ts';
import { ClientsStore } from './clients.store.ts';

const EVERY_MS = 60_000;
const BATCH = 500;

/** Forgets the hashes of old secrets that have come to their end. */
@Injectable()
export class EndedSecrets implements OnApplicationBootstrap, OnApplicationShutdown {
  private sweeping: Repeated | undefined;

  constructor(
    private readonly table: ClientsTable,
    private readonly store: ClientsStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeping = repeat(() => this.sweep(), {
      name: 'ended_secrets',
      pauseMs: EVERY_MS,
      onFailure: (error) => this.log.error('old secrets that have ended could not be forgotten', { error }),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeping?.stop();
  }

  async sweep(): Promise<void> {
    const now = this.clock.now();
    for (const client_id of await this.store.endedSecrets(now, BATCH))
      await this.table.change(client_id, (tx) => this.store.forgetEndedSecret(client_id, now, tx));
  }
}
