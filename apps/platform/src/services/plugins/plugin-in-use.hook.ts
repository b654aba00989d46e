import type { PluginUsers } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { hook } from '../../kit/hooks.ts';

/** A user of a plugin, such as a flow, with the name by which the company knows it. */
export interface PluginUser {
  plugin_id: string;
  kind: keyof PluginUsers;
  name: string;
}

/** A capability whose rows use plugins. A new use asks `PluginSnapshots` in its transaction: no plugin goes meanwhile. @spec D1-2.11 */
export interface PluginInUse {
  /** Returns what uses these plugins of the company. */
  usersOf(db: Db, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginUser[]>;
}
export const PLUGIN_IN_USE = hook<PluginInUse>('plugins in use');
