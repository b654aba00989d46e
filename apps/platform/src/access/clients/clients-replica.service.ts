import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ProjectionReader } from '@codase/runtime/bus';
import { poll } from '@codase/runtime/resilience';
import type { ClientLookup, ClientRow, CLIENTS } from './client-row.ts';

export const CLIENT_ROWS = Symbol('client rows');

/** How long a row that the front door just wrote may be on its way. */
const ON_ITS_WAY = { everyMs: 20, withinMs: 200 };

/** A region's view of the registry: the rows it follows over the bus. */
@Injectable()
export class ClientsReplica implements ClientLookup, OnApplicationShutdown {
  constructor(@Inject(CLIENT_ROWS) private readonly rows: ProjectionReader<typeof CLIENTS.shape>) {}

  /** Returns the client, and waits for a row of the epoch. Strangers cannot cause the wait: only a signed token names an epoch. */
  async clientOf(client_id: string, epoch?: number): Promise<ClientRow | undefined> {
    const isHere = () => epoch === undefined || (this.known(client_id)?.epoch ?? 0) >= epoch;
    if (!isHere()) await poll(() => isHere() || undefined, ON_ITS_WAY);
    return this.known(client_id);
  }

  /** Returns the row that the replica has now. */
  known(client_id: string): ClientRow | undefined {
    return this.rows.get(client_id);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rows.close();
  }
}
