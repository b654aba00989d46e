import type { PluginSnapshot } from '@codase/domain/flow-language';
import type { Db } from '@codase/runtime/db';
import { requirement } from '../../kit/hooks.ts';

/** The current descriptions of plugins, by plugin id: field types by name, or null while no description could be fetched. @spec D2-2.6 */
export type PluginDescriptions = ReadonlyMap<string, ReadonlyMap<string, PluginSnapshot> | null>;

/** A capability that knows the plugins of companies. */
export interface PluginSnapshots {
  /** Returns the descriptions of those of the plugins that the company has, by their ids. */
  snapshotsOf(db: Db, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginDescriptions>;
}
export const PLUGIN_SNAPSHOTS = requirement<PluginSnapshots>('descriptions of plugins');
