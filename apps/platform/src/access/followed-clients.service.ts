import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ProjectionReader } from '@cds/runtime/bus';
import type { ClientLookup } from './authenticator.service.ts';
import type { ClientRow, CLIENTS } from './clients.ts';

export const CLIENT_ROWS = Symbol('client rows');

/** A region's view of the registry: the rows it follows over the bus. */
@Injectable()
export class FollowedClients implements ClientLookup, OnApplicationShutdown {
  constructor(@Inject(CLIENT_ROWS) private readonly rows: ProjectionReader<typeof CLIENTS.shape>) {}

  async clientOf(client_id: string): Promise<ClientRow | undefined> {
    return this.rows.get(client_id);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rows.close();
  }
}
