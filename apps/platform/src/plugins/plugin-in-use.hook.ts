import type { PluginUsers } from '@cds/contracts';
import type { Db } from '@cds/runtime/db';
import { hook } from '../hooks.ts';

/** Something that uses a plugin: the name by which its company knows it. */
export interface PluginUser {
  plugin_id: string;
  kind: keyof PluginUsers;
  name: string;
}

/**
 * A capability whose rows use plugins. Whoever begins to use one asks `PluginSnapshots` for it in the same transaction, so that it is not
 * deleted meanwhile. @spec D1-2.11
 */
export interface PluginInUse {
  /** What of the company uses these plugins. */
  usersOf(db: Db, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginUser[]>;
}
export const PLUGIN_IN_USE = hook<PluginInUse>('plugins in use');
