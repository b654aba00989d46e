import { Injectable } from '@nestjs/common';
import type { Db } from '@codase/runtime/db';
import { flowsUsingPlugin } from '../flows/index.ts';
import type { PluginInUse, PluginUser } from './plugin-in-use.hook.ts';

/** Finds the flows that use plugins, in their drafts or in their published versions. @spec D1-2.11 */
@Injectable()
export class FlowPlugins implements PluginInUse {
  async usersOf(db: Db, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginUser[]> {
    const users: PluginUser[] = [];
    for (const plugin_id of plugin_ids)
      for (const name of await flowsUsingPlugin(db, company_user_id, plugin_id)) users.push({ plugin_id, kind: 'flows', name });
    return users;
  }
}
