import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal, type Claim, type RegisteredApp } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { FrontDoorRequests, Home, writeIfHome } from '../../foundation/regions/index.ts';
import { FIELD_PLUGINS, type FieldPlugins } from '../../services/services/index.ts';
import {
  checkLater,
  confirmRevision,
  forgetApp,
  forgetOthers,
  forgetRevision,
  notedApps,
  noteMissing,
  notePlugins,
  type AppRevision,
} from './claim-plugins.store.ts';
import type { OwnApp } from './registered-apps.store.ts';

/** How long after its begin a change is left to the front door, which has ended every request long before. */
const UNFINISHED_MS = 180_000;
/** How many apps are read at once: few, because their claims may be long. */
const PAGE = 25;

/** How many notes a comparison has deleted, and how many it has added. */
interface Compared {
  forgotten: number;
  restored: number;
}

/**
 * Keeps plugins that claims use from being deleted. An app is at the front door, its plugins are in the region, and no transaction stays
 * open while the front door is asked. So the plugins of a new revision are noted first, the front door is asked, and then the notes of the
 * revision that has ended go. A plugin may seem to be in use for a moment too long, but never too short. A worker finishes what a crash, or
 * a front door that did not answer, left between these steps, and compares all notes of a company with its apps every day: the database of
 * either side may have been restored. @spec D1-2.11
 */
@Injectable()
export class ClaimPlugins {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly frontDoor: FrontDoorRequests,
    @Inject(FIELD_PLUGINS) private readonly plugins: FieldPlugins,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Notes the plugins of a revision, and refuses a plugin that cannot answer its claim. */
  begin(app: AppRevision): Promise<void> {
    return this.home.write(app.company_user_id, async (tx) => {
      for (const claim of app.claims) await this.check(tx, app, claim);
      await checkLater(tx, app, this.in(UNFINISHED_MS));
      await notePlugins(tx, app, this.clock.now(), this.in(UNFINISHED_MS));
    });
  }

  /** Begins a change that adds no claims. */
  beginChange(own: OwnApp): Promise<void> {
    return this.home.write(own.company_user_id, async (tx) => {
      await checkLater(tx, own, this.in(UNFINISHED_MS));
    });
  }

  /** Ends a change that the front door has made. The change counts, even when the notes have to be left to the worker. */
  async end(own: OwnApp, { revision, name }: RegisteredApp, ended_revision: string | null): Promise<void> {
    await this.settle(own, async (tx) => {
      if (ended_revision !== null) await forgetRevision(tx, own, ended_revision);
      await confirmRevision(tx, own, { revision, name });
    });
  }

  async endDeletion(own: OwnApp): Promise<void> {
    await this.settle(own, (tx) => forgetApp(tx, own));
  }

  /** Forgets a revision that the front door has refused. Without an answer it may still take the revision, so the worker asks it later. */
  async abandon(own: OwnApp, revision: string, error: unknown): Promise<void> {
    if (!(error instanceof Refusal) || error.status >= 500) return;
    await this.settle(own, (tx) => forgetRevision(tx, own, revision));
  }

  /** Compares the notes with the app, as the front door has it now. So a change that was interrupted is finished. */
  async compare(own: OwnApp): Promise<Compared> {
    const begunUntil = this.in(-UNFINISHED_MS);
    return this.compareWith(own, await this.readApp(own), begunUntil);
  }

  /** Compares the notes of a company with all its apps: a restored database may have lost apps, or brought them back. */
  async compareAll(company_user_id: string): Promise<Compared> {
    const begunUntil = this.in(-UNFINISHED_MS);
    const apps = await this.listApps(company_user_id);
    const gone = (await notedApps(this.db, company_user_id)).filter((app_id) => !apps.some(({ id }) => id === app_id));
    const all = { forgotten: 0, restored: 0 };
    const compare = async (app_id: string, app: RegisteredApp | undefined) => {
      const { forgotten, restored } = await this.compareWith({ company_user_id, app_id }, app, begunUntil);
      all.forgotten += forgotten;
      all.restored += restored;
    };
    for (const app of apps) await compare(app.id, app);
    for (const app_id of gone) await compare(app_id, undefined);
    return all;
  }

  /**
   * Of all that was noted before a moment, only what the app has now is kept. What is not noted of it is noted again. If the app has just
   * been changed once more, that note is one too many, so the worker looks again.
   */
  private async compareWith(own: OwnApp, app: RegisteredApp | undefined, begunUntil: Date): Promise<Compared> {
    const compared = await writeIfHome(this.db, own.company_user_id, async (tx) => {
      const forgotten = await forgetOthers(tx, own, app?.revision, begunUntil);
      if (!app) return { forgotten, restored: 0 };
      await confirmRevision(tx, own, app);
      return { forgotten, restored: await noteMissing(tx, { ...app, ...own }, this.clock.now(), this.in(UNFINISHED_MS)) };
    });
    return compared ?? { forgotten: 0, restored: 0 };
  }

  private async listApps(company_user_id: string): Promise<RegisteredApp[]> {
    const apps: RegisteredApp[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.frontDoor.request(FRONT_DOOR.listApps, {}, { company_user_id, limit: PAGE, ...(cursor && { cursor }) });
      apps.push(...page.items);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return apps;
  }

  private async readApp(own: OwnApp): Promise<RegisteredApp | undefined> {
    try {
      return await this.frontDoor.request(FRONT_DOOR.readApp, {}, own);
    } catch (error) {
      if (error instanceof Refusal && error.key === 'oauth_apps.not_found') return undefined;
      throw error;
    }
  }

  private async check(tx: EntityManager, { company_user_id }: OwnApp, { slug, plugin: choice }: Claim): Promise<void> {
    if (choice === null) return;
    const described = await this.plugins.describe(tx, company_user_id, choice);
    if (typeof described === 'string') throw new Refusal('oauth_apps.claim_config_plugin_invalid').because(`${slug}: ${described}`);
  }

  private async settle(own: OwnApp, work: (tx: EntityManager) => Promise<unknown>): Promise<void> {
    await this.home
      .write(own.company_user_id, work)
      .catch((error: unknown) => this.log.warn('the plugins of a sign-in app are settled later', { error }));
  }

  private in(ms: number): Date {
    return new Date(this.clock.now().getTime() + ms);
  }
}
