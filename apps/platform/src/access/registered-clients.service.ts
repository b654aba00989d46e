import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus, ProjectionWriter } from '@cds/runtime/bus';
import type { ClientLookup } from './authenticator.service.ts';
import { CLIENTS, type ClientRow } from './clients.ts';
import { ClientsStore } from './clients.store.ts';

/** The front door's view of the registry: the table itself, which it also tells the regions. */
@Injectable()
export class RegisteredClients implements ClientLookup, OnApplicationBootstrap {
  constructor(
    @Inject(ClientsStore) private readonly store: ClientsStore,
    @Inject(Bus) private readonly bus: Bus,
  ) {}

  clientOf(client_id: string): Promise<ClientRow | undefined> {
    return this.store.find(client_id);
  }

  /** What was written while the bus was away is told now: the table is the truth, the bucket its copy. */
  async onApplicationBootstrap(): Promise<void> {
    const projection = await ProjectionWriter.open(this.bus, CLIENTS);
    for (const client of await this.store.all()) await projection.put(client.client_id, client);
  }
}
