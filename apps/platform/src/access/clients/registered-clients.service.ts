import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus, ProjectionWriter } from '@cds/runtime/bus';
import { CLIENTS, type ClientLookup, type ClientRow } from './client-row.ts';
import { ClientsStore } from './clients.store.ts';

/** The front door's view of the registry: the table itself, which it also tells the regions. */
@Injectable()
export class RegisteredClients implements ClientLookup, OnApplicationBootstrap {
  private projection!: ProjectionWriter<typeof CLIENTS.shape>;

  constructor(
    @Inject(ClientsStore) private readonly store: ClientsStore,
    @Inject(Bus) private readonly bus: Bus,
  ) {}

  clientOf(client_id: string): Promise<ClientRow | undefined> {
    return this.store.find(client_id);
  }

  /** What was written while the bus was away is told now: the table is the truth, the bucket its copy. */
  async onApplicationBootstrap(): Promise<void> {
    this.projection = await ProjectionWriter.open(this.bus, CLIENTS);
    for (const client of await this.store.all()) await this.tell(client);
  }

  /** Tells the regions of a row. Called inside the transaction that holds the row, so that two changes are told in their order. */
  tell(client: ClientRow): Promise<void> {
    return this.projection.put(client.client_id, client);
  }

  forget(client_id: string): Promise<void> {
    return this.projection.remove(client_id);
  }
}
