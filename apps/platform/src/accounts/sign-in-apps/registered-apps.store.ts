import { Inject, Injectable } from '@nestjs/common';
import type { NewApp, RegisteredApp } from '@codase/contracts';
import { hasRow, many, one, type Db } from '@codase/runtime/db';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ListPosition } from '../../kit/paging.ts';
import { SignInAppEntity } from './app-sign-in.entity.ts';

/** A sign-in app as its company sees it, and the revision of its claims. */
export interface AppRow extends Pick<RegisteredApp, 'client_id' | 'name' | 'redirect_uris' | 'claims_delivery' | 'claims' | 'revision'> {
  created_at: Date;
}

export interface OwnApp {
  company_user_id: string;
  app_id: string;
}

/** What sign-in apps ask for. The rest of an app is its client. */
@Injectable()
export class RegisteredAppsStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** Finds an app of that company; undefined for an app of another company, as for one that does not exist. */
  find({ company_user_id, app_id }: OwnApp, db: Db = this.db): Promise<AppRow | undefined> {
    return one<AppRow>(db)`
      select client_id, name, redirect_uris, claims_delivery, claims, revision, created_at
        from sign_in_app join client using (client_id)
       where client_id = ${app_id} and company_user_id = ${company_user_id}`;
  }

  /** Returns a page of a company's apps, the oldest first. */
  list(company_user_id: string, limit: number, after: ListPosition | undefined): Promise<AppRow[]> {
    return many<AppRow>(this.db)`
      select client_id, name, redirect_uris, claims_delivery, claims, revision, created_at
        from sign_in_app join client using (client_id)
       where company_user_id = ${company_user_id}
         and (${after?.at ?? null}::timestamptz is null
              or (created_at, client_id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
       order by created_at, client_id
       limit ${limit}`;
  }

  hasAccountKey(company_user_id: string, tx: Db): Promise<boolean> {
    return hasRow(tx)`select from account where user_id = ${company_user_id} and public_key is not null`;
  }

  async add({ app_id, claims_delivery, claims, revision }: NewApp, tx: Db): Promise<void> {
    await tx.getRepository(SignInAppEntity).insert({ client_id: app_id, claims_delivery, claims, revision });
  }

  /** The caller has locked the client of the app. */
  async put({ client_id, claims_delivery, claims, revision }: SignInAppEntity, tx: Db): Promise<void> {
    await tx.getRepository(SignInAppEntity).update({ client_id }, { claims_delivery, claims, revision });
  }
}
