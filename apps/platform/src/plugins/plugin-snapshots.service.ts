import { Inject, Injectable } from '@nestjs/common';
import type { PluginSnapshot } from '@cds/contracts';
import type { Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import { BASES, type Bases } from '../regions/index.ts';
import { snapshotsOf, type PluginRow } from './plugin-row.ts';
import { holdPlugins, listPlugins } from './plugins.store.ts';

/** Plugins by id: their field types by name, or null while no description was fetched. Publishing a flow asks for just this. */
export type DescribedPlugins = ReadonlyMap<string, ReadonlyMap<string, PluginSnapshot> | null>;

/** What plugins say of themselves, to be copied where they are used. @spec D2-2.6 */
@Injectable()
export class PluginSnapshots {
  constructor(@Inject(BASES) private readonly bases: Bases) {}

  /** All plugins of a company, as they are now. */
  async read(db: Db, company_user_id: string): Promise<DescribedPlugins> {
    return this.described(await listPlugins(db, company_user_id));
  }

  /** Those of these that the company has. They are not deleted until the transaction ends: what is saved in it may use them. */
  async hold(tx: EntityManager, company_user_id: string, plugin_ids: readonly string[]): Promise<DescribedPlugins> {
    return this.described(await holdPlugins(tx, company_user_id, plugin_ids));
  }

  private described(rows: readonly PluginRow[]): DescribedPlugins {
    const { host } = new URL(this.bases.front_door_url);
    return new Map(rows.map((row) => [row.plugin_id, snapshotsOf(row, host)]));
  }
}
