import { Injectable } from '@nestjs/common';
import type { Db } from '@codase/runtime/db';
import type { PluginInUse, PluginUser } from '../../services/plugins/index.ts';
import { claimsOfPlugins } from './claim-plugins.store.ts';

/** Finds the claims of sign-in apps that use plugins. @spec D1-2.11 */
@Injectable()
export class ClaimsOfPlugins implements PluginInUse {
  async usersOf(db: Db, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginUser[]> {
    return (await claimsOfPlugins(db, company_user_id, plugin_ids)).map((claim) => ({ ...claim, kind: 'claims' as const }));
  }
}
