import { Injectable } from '@nestjs/common';
import { Refusal, type AppChange, type FRONT_DOOR, type NewApp, type RegisteredApp } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import { ClientRegistry } from '../../access/clients/index.ts';
import { pageOf, readCursor } from '../../kit/paging.ts';
import { RegisteredAppsStore, type AppRow, type OwnApp } from './registered-apps.store.ts';

/** How long a list of apps may be. Most lists are much shorter: one app may have 200 KB. */
const LIST_BYTES = 512 * 1024;

/** Registers and changes sign-in apps for the regions of their companies. An app and its client are one transaction. @spec D1-4.6 */
@Injectable()
export class RegisteredApps {
  constructor(
    private readonly registry: ClientRegistry,
    private readonly store: RegisteredAppsStore,
  ) {}

  /** Registers an app. A request that comes twice finds the app that it registered. */
  async register(app: NewApp): Promise<RegisteredApp> {
    const { claims, claims_delivery, revision, ...client } = app;
    await this.registry.registerApp(client, async (tx) => {
      await this.checkSealable(app, app, tx);
      await this.store.add(app, tx);
      return { claims: claims.length, claims_delivery, revision };
    });
    return this.read(app);
  }

  async read(own: OwnApp): Promise<RegisteredApp> {
    return presentApp(await this.find(own));
  }

  /** Lists the apps of a company. A page of very long apps has fewer of them than were asked for. */
  async list({ company_user_id, limit, cursor }: MessageOf<typeof FRONT_DOOR.listApps>) {
    const rows = await this.store.list(company_user_id, limit + 1, readCursor(cursor));
    const { items, next_cursor } = pageOf(rows, Math.min(limit, fitting(rows)), ({ created_at, client_id }) => ({
      at: created_at,
      id: client_id,
    }));
    return { items: items.map(presentApp), next_cursor };
  }

  /** Changes an app. Members that are left out stay as they are. A change that comes twice ends no revision the second time. */
  async change({ company_user_id, app_id, name, redirect_uris, ...request }: AppChange): Promise<ReplyOf<typeof FRONT_DOOR.changeApp>> {
    const own = { company_user_id, app_id };
    let ended_revision: string | null = null;
    await this.registry.changeApp(own, { name, redirect_uris }, async (tx) => {
      const before = await this.find(own, tx);
      const { claims = before.claims, claims_delivery = before.claims_delivery, revision = before.revision } = request;
      await this.checkSealable(own, { claims, claims_delivery }, tx);
      await this.store.put({ client_id: app_id, claims, claims_delivery, revision }, tx);
      ended_revision = revision === before.revision ? null : before.revision;
      return { claims: claims.length, claims_delivery, ...(ended_revision !== null && { revision }) };
    });
    return { app: await this.read(own), ended_revision };
  }

  /** Refuses encrypted values for a company that has no account key: no phone could seal them. @gap D1-4.6 */
  private async checkSealable(
    { company_user_id }: Pick<OwnApp, 'company_user_id'>,
    { claims, claims_delivery }: Pick<AppRow, 'claims' | 'claims_delivery'>,
    tx: Db,
  ): Promise<void> {
    if (claims_delivery === 'plaintext' || claims.length === 0 || (await this.store.hasAccountKey(company_user_id, tx))) return;
    throw new Refusal('request.invalid').because('claims_delivery: the company has no account key to seal values to; take plaintext');
  }

  private async find(own: OwnApp, db?: Db): Promise<AppRow> {
    const app = await this.store.find(own, db);
    if (!app) throw new Refusal('oauth_apps.not_found');
    return app;
  }
}

/** Returns how many of the rows fit into one message of the bus, at least one. */
function fitting(rows: readonly AppRow[]): number {
  let bytes = 0;
  const tooMany = rows.findIndex((row, i) => (bytes += Buffer.byteLength(JSON.stringify(row))) > LIST_BYTES && i > 0);
  return tooMany === -1 ? rows.length : tooMany;
}

const presentApp = ({ created_at, ...app }: AppRow): RegisteredApp => ({
  ...app,
  id: app.client_id,
  created_at: created_at.toISOString(),
});
