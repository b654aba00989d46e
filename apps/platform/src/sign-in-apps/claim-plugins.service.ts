import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal, type Claim, type RegisteredApp } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { FrontDoorRequests, Home, writeIfHome } from '../regions/index.ts';
import { FIELD_PLUGINS, type FieldPlugins } from '../services/index.ts';
import {
  checkLater,
  confirmRevision,
  forgetApp,
  forgetOthers,
  forgetRevision,
  notePlugins,
  type AppRevision,
} from './claim-plugins.store.ts';
import type { OwnApp } from './registered-apps.store.ts';

/** How long after its begin a change is looked after by the worker: a request to the front door has ended long before. */
const UNFINISHED_MS = 30_000;
/** How long an app is not looked at again: something may have happened to it that the region was not told. */
const LOOKED_AT_MS = 24 * 3_600_000;

/**
 * Keeps plugins that claims use from being deleted. An app is at the front door, its plugins are in the region, and no transaction stays
 * open while the front door is asked. So the plugins of a new revision are noted first, the front door is asked, and then the notes of the
 * revision that has ended go. A plugin may seem to be in use for a moment too long, but never too short. A worker finishes what a crash, or
 * a front door that did not answer, left between these steps. @spec D1-2.11
 */
@Injectable()
export class ClaimPlugins {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly frontDoor: FrontDoorRequests,
    @Inject(FIELD_PLUGINS) private readonly plugins: readonly FieldPlugins[],
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
      await confirmRevision(tx, own, { revision, name }, this.in(LOOKED_AT_MS));
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

  /**
   * Compares the notes with the app: of all that was noted before, only what the app has now is kept. Returns how many notes were not. So a
   * change that was interrupted is finished, and so are apps that a restored database of the front door does not have.
   */
  async compare(own: OwnApp): Promise<number> {
    const begunUntil = this.in(-UNFINISHED_MS);
    const app = await this.readApp(own);
    const forgotten = await writeIfHome(this.db, own.company_user_id, async (tx) => {
      const others = await forgetOthers(tx, own, app?.revision, begunUntil);
      if (app) await confirmRevision(tx, own, app, this.in(LOOKED_AT_MS));
      return others;
    });
    return forgotten ?? 0;
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
    const [plugins] = this.plugins;
    const described = plugins ? await plugins.describe(tx, company_user_id, choice) : 'there are no plugins';
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
