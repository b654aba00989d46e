import { Inject, Injectable } from '@nestjs/common';
import { many, one, sql, type Db } from '@cds/runtime/db';
import { FRONT_DOOR_DB } from '../../databases.ts';
import type { ClientRow } from './client-row.ts';

/** A client as it is added. */
export interface AddedClient extends ClientRow {
  name: string;
  purpose: string | null;
  capabilities: readonly string[];
  redirect_uris: readonly string[];
}

/** The client registry, owned by the front door. */
@Injectable()
export class ClientsStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  find(client_id: string, db: Db = this.db): Promise<ClientRow | undefined> {
    return one<ClientRow>(db, sql`
      select client_id, kind, company_user_id, service_id, region, epoch, secret_hash,
             array(select pattern from client_pattern p where p.client_id = c.client_id order by pattern) as patterns
        from client c
       where client_id = ${client_id}`);
  }

  all(): Promise<ClientRow[]> {
    return many<ClientRow>(this.db, sql`
      select client_id, kind, company_user_id, service_id, region, epoch, secret_hash,
             array(select pattern from client_pattern p where p.client_id = c.client_id order by pattern) as patterns
        from client c`);
  }

  /** Adds a client with its patterns, or leaves the one that stands; says whether it was added. */
  async add(client: AddedClient, now: Date, db: Db = this.db): Promise<boolean> {
    const added = await one(db, sql`
      with added as (
        insert into client (client_id, kind, company_user_id, service_id, region, epoch, secret_hash, name, purpose, capabilities, redirect_uris, created_at)
        values (${client.client_id}, ${client.kind}, ${client.company_user_id}, ${client.service_id}, ${client.region}, ${client.epoch},
                ${client.secret_hash}, ${client.name}, ${client.purpose}, ${client.capabilities}, ${client.redirect_uris}, ${now})
        on conflict (client_id) do nothing
        returning client_id),
      patterns as (
        insert into client_pattern
        select client_id, unnest(${client.patterns}::text[]) from added)
      select client_id from added`);
    return added !== undefined;
  }
}
