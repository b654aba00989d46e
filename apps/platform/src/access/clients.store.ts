import { Inject, Injectable } from '@nestjs/common';
import { many, one, sql, type Db } from '@cds/runtime/db';
import { FRONT_DOOR_DB } from '../databases.ts';
import type { ClientRow } from './clients.ts';

export interface StoredClient extends ClientRow {
  secret_hash: string;
}

/** The client registry, owned by the front door. */
@Injectable()
export class ClientsStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  find(client_id: string): Promise<StoredClient | undefined> {
    return one<StoredClient>(this.db, sql`
      select client_id, kind, company_user_id, service_id, region, epoch, secret_hash
        from client
       where client_id = ${client_id}`);
  }

  all(): Promise<ClientRow[]> {
    return many<ClientRow>(this.db, sql`select client_id, kind, company_user_id, service_id, region, epoch from client`);
  }

  /** Adds a client, or leaves the one that stands. */
  async add(client: StoredClient, now: Date): Promise<void> {
    await many(this.db, sql`
      insert into client (client_id, kind, company_user_id, service_id, region, epoch, secret_hash, created_at)
      values (${client.client_id}, ${client.kind}, ${client.company_user_id}, ${client.service_id}, ${client.region}, ${client.epoch}, ${client.secret_hash}, ${now})
      on conflict (client_id) do nothing`);
  }
}
