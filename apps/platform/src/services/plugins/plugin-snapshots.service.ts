import { Inject, Injectable } from '@nestjs/common';
import type { Db } from '@codase/runtime/db';
import type { PluginDescriptions, PluginSnapshots as SnapshotsForFlows } from '../flows/index.ts';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { snapshotsOf } from './plugin-row.ts';
import { holdPlugins } from './plugins.store.ts';

/** Returns the descriptions of plugins, which are copied where the plugins are used. @spec D2-2.6 */
@Injectable()
export class PluginSnapshots implements SnapshotsForFlows {
  constructor(@Inject(BASES) private readonly bases: Bases) {}

  /** Locks the plugins too: until the transaction ends they cannot be deleted, so rows saved in it may use them. */
  async snapshotsOf(db: Db, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginDescriptions> {
    const rows = await holdPlugins(db, company_user_id, plugin_ids);
    const { host } = new URL(this.bases.front_door_url);
    return new Map(rows.map((row) => [row.plugin_id, snapshotsOf(row, host)]));
  }
}
