import { Inject, Injectable } from '@nestjs/common';
import { one, sql, type Db } from '@cds/runtime/db';
import { FRONT_DOOR_DB } from '../databases.ts';
import type { AskingClient } from './authorization-request.ts';

/** What a sign-in needs to know of the client that asks for it. */
@Injectable()
export class SignInStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  find(client_id: string): Promise<AskingClient | undefined> {
    return one<AskingClient>(
      this.db,
      sql`
      select c.client_id, c.kind, c.name, c.capabilities, c.redirect_uris, c.company_user_id, c.service_id, c.region, c.epoch, a.level
        from client c left join account a on a.user_id = c.company_user_id
       where c.client_id = ${client_id}`,
    );
  }

  async setRedirects(client_id: string, redirect_uris: readonly string[]): Promise<void> {
    await one(this.db, sql`update client set redirect_uris = ${redirect_uris} where client_id = ${client_id}`);
  }
}
