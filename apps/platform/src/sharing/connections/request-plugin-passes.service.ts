import { Injectable } from '@nestjs/common';
import { Refusal, type PluginUse } from '@codase/contracts';
import type { EntityManager } from 'typeorm';
import { PluginPasses } from '../../services/plugins/index.ts';
import { findServiceByCode, listRequestFields } from '../../services/services/index.ts';
import { rowsFor } from './answers.ts';
import type { ReplyOf, RequestOf } from './region-protocol.ts';

/** Issues passes for the plugins that answer request rows. There are no other values that inputs could come from. @gap D1-2.6 */
@Injectable()
export class RequestPluginPasses {
  constructor(private readonly passes: PluginPasses) {}

  async issue(tx: EntityManager, { company_user_id, service_code, type }: RequestOf<'pluginPass'>): Promise<ReplyOf<'pluginPass'>> {
    const service = await findServiceByCode(tx, company_user_id, service_code);
    if (!service) throw new Refusal('company_connections.service_not_found');
    const rows = rowsFor(await listRequestFields(tx, service), type);
    const specs = rows.flatMap(({ slug, plugin }): [string, PluginUse][] => {
      if (!plugin) return [];
      const { plugin_id, field_type, snapshot } = plugin;
      return [[slug, { plugin_id, field_type, snapshot, inputs: {} }]];
    });
    return this.passes.issue(company_user_id, Object.fromEntries(specs));
  }
}
