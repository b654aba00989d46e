import { Injectable } from '@nestjs/common';
import type { Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { versionsUsingPlugins, type FlowInUse, type FlowRow } from '../../services/flows/index.ts';
import type { PluginInUse, PluginUser } from '../../services/plugins/index.ts';
import { definitionIdsOf } from './run-row.ts';
import { hasOpenRuns, listDefinitionsInUse } from './runs.store.ts';

/** Says what open runs need: their flow, and the plugins of their version, even if the flow has dropped them. @spec D2-9 */
@Injectable()
export class OpenRunNeeds implements FlowInUse, PluginInUse {
  isFlowInUse(tx: EntityManager, { company_user_id, flow_id }: FlowRow): Promise<boolean> {
    return hasOpenRuns(tx, company_user_id, flow_id);
  }

  async usersOf(db: Db, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginUser[]> {
    const versions = await versionsUsingPlugins(db, company_user_id, plugin_ids);
    const inUse = new Set(await listDefinitionsInUse(db, versions.flatMap(definitionIdsOf)));
    return versions
      .filter((version) => definitionIdsOf(version).some((id) => inUse.has(id)))
      .map(({ plugin_id, name }) => ({ plugin_id, kind: 'flows', name }));
  }
}
