import { Injectable } from '@nestjs/common';
import type { Db } from '@codase/runtime/db';
import { versionsUsingPlugins } from '../../services/flows/index.ts';
import type { PluginInUse, PluginUser } from '../../services/plugins/index.ts';
import { definitionIdOf } from './run-row.ts';
import { listDefinitionsInUse } from './runs.store.ts';

/**
 * Finds the plugins of versions to which open runs are pinned: their steps ask these plugins, even if the flow has dropped them. @spec D2-9
 */
@Injectable()
export class PluginsInRuns implements PluginInUse {
  async usersOf(db: Db, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginUser[]> {
    const versions = await versionsUsingPlugins(db, company_user_id, plugin_ids);
    const inUse = new Set(await listDefinitionsInUse(db, versions.map(definitionIdOf)));
    return versions
      .filter((version) => inUse.has(definitionIdOf(version)))
      .map(({ plugin_id, name }) => ({ plugin_id, kind: 'flows', name }));
  }
}
