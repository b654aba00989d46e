import { Inject, Injectable } from '@nestjs/common';
import type { PluginPass, PluginUse, RegistryPass } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { REGION_DB } from '../../kit/databases.ts';
import { SIGNING_KEYS, signOther, SigningKeys } from '../../access/tokens/index.ts';
import { passClaims, PASS_TYPE, type PassUse } from './plugin-pass.ts';
import { listPlugins, type OwnPlugin } from './plugins.store.ts';

export const FORWARDER_URL = Symbol('ForwarderUrl');

/** Issues passes for the forwarder. The calling capability decides who may have one. @spec D2-2.6 @spec D2-4.5 */
@Injectable()
export class PluginPasses {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
    @Inject(FORWARDER_URL) private readonly forwarder_url: string,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Issues a pass for the plugin fields of a step or of a request, by the slugs of their elements, with the current key of each plugin. A
   * plugin that was deleted or never described has no key, so its field does not respond. Without fields the pass allows no plugin.
   */
  async issue(company_user_id: string, specs: Readonly<Record<string, PluginUse>>): Promise<PluginPass> {
    const used = new Set(Object.values(specs).map(({ plugin_id }) => plugin_id));
    const rows = used.size === 0 ? [] : await listPlugins(this.db, company_user_id);
    const keys = new Map(rows.map(({ plugin_id, description }) => [plugin_id, description?.public_key ?? null]));
    const own = [...used].filter((id) => keys.has(id));
    return {
      ...(await this.sign('call', company_user_id, own)),
      plugins: [...used].map((id) => ({ id, public_key: keys.get(id) ?? null })),
      specs: { ...specs },
    };
  }

  /** Issues a pass to refresh the description of a plugin. @spec D1-4.6 */
  issueForRegistry({ company_user_id, plugin_id }: OwnPlugin): Promise<RegistryPass> {
    return this.sign('registry', company_user_id, [plugin_id]);
  }

  private async sign(use: PassUse, company_user_id: string, plugins: string[]): Promise<RegistryPass> {
    const pass = await signOther(this.keys.current, PASS_TYPE, passClaims({ use, plugins, company_user_id }, this.clock.now()));
    return { pass, forwarder_url: this.forwarder_url };
  }
}
