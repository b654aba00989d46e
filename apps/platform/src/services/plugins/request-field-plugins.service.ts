import { Injectable } from '@nestjs/common';
import type { PluginChoice } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { pluginFieldsOf, type FieldPlugin, type FieldPlugins } from '../services/index.ts';
import type { PluginInUse, PluginUser } from './plugin-in-use.hook.ts';
import { PluginSnapshots } from './plugin-snapshots.service.ts';

/** Describes and finds the plugins that request fields of services use. @spec D1-2.6 */
@Injectable()
export class RequestFieldPlugins implements FieldPlugins, PluginInUse {
  constructor(private readonly snapshots: PluginSnapshots) {}

  async describe(tx: EntityManager, company_user_id: string, { plugin_id, field_type }: PluginChoice): Promise<FieldPlugin | string> {
    const described = (await this.snapshots.snapshotsOf(tx, company_user_id, [plugin_id])).get(plugin_id);
    if (described === undefined) return `you have no plugin ${plugin_id}`;
    if (described === null) return `the plugin ${plugin_id} has no description yet: refresh it first`;
    const snapshot = described.get(field_type);
    if (!snapshot) return `the plugin has no field type ${field_type}`;
    const needed = snapshot.inputs.find(({ required }) => required);
    if (needed) return `the field type ${field_type} needs the input ${needed.key}, which only a flow can give it`;
    return { plugin_id, field_type, name: snapshot.plugin_name, snapshot };
  }

  async usersOf(db: Db, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginUser[]> {
    return (await pluginFieldsOf(db, company_user_id, plugin_ids)).map((field) => ({ ...field, kind: 'request_fields' as const }));
  }
}
