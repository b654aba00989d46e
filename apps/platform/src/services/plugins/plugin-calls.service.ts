import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type PluginDescription, type REGION_PLUGINS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { sealToProcess } from '../../kit/secrets/process-seal.ts';
import { Home, homeStateOf, writeIfHome } from '../../foundation/regions/index.ts';
import { STORED_SECRETS, StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import { endCall, hasBegun, lockForCall, pluginOfCall, takeCall } from './plugin-calls.store.ts';
import { tokenSeal } from './token-seal.ts';
import { putDescription, putError } from './plugins.store.ts';
import type { PluginEntity } from './plugin.entity.ts';

type Begin = MessageOf<typeof REGION_PLUGINS.begin>;

/** The calls of plugins, which the forwarder begins and ends in the region of the plugin. @spec D2-4.5 @spec D2-8 */
@Injectable()
export class PluginCalls {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    @Inject(STORED_SECRETS) private readonly stored: StoredSecrets,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Begins a call. Calls of a plugin begin one at a time, so that no two take the last place. A repeated request takes only one place. */
  begin({ call_id = newId('call'), plugin_id, company_user_id, use, sealing_key }: Begin) {
    return this.db.transaction(async (tx) => {
      const row = await lockForCall(tx, plugin_id);
      if (!row) throw await absent(tx, company_user_id);
      if ((await homeStateOf(tx, row.company_user_id)) !== 'here') throw new Refusal('plugin.unavailable');
      if (use === 'call' && !row.description) throw new Refusal('plugin.not_responding').because('The plugin has no description yet');
      if (!(await hasBegun(tx, call_id, plugin_id))) await takeCall(tx, { call_id, plugin_id }, this.clock.now());
      return { call_id, base_url: row.base_url, builtin_key: row.builtin_key, sealed_token: this.sealedToken(row, sealing_key) };
    });
  }

  /** Ends a call and notes why its plugin failed, if it did. Does nothing when the call has ended already. */
  async end(call_id: string, error: string | null): Promise<null> {
    const plugin = await endCall(this.db, call_id, this.clock.now());
    // While the company moves, the error is not noted. The next call may note one.
    if (plugin) await writeIfHome(this.db, plugin.company_user_id, (tx) => putError(tx, plugin.plugin_id, error));
    return null;
  }

  /**
   * Stores a new description of a plugin. Flows and request fields that use the plugin keep their copies of the old one. Only a change is
   * audited: a customer whose question is sealed to any other key makes the forwarder fetch the description again. @spec D2-9
   */
  async describe(call_id: string, description: PluginDescription) {
    const plugin = await pluginOfCall(this.db, call_id);
    if (!plugin) throw new Refusal('plugin.not_found');
    const { plugin_id, company_user_id } = plugin;
    const now = this.clock.now();
    await this.home.write(company_user_id, async (tx) => {
      const put = await putDescription(tx, plugin_id, description, now);
      if (!put) throw new Refusal('plugin.not_found');
      if (put.is_new) await this.audit.record(tx, { act: 'plugin.refreshed', account_id: company_user_id, object: plugin_id });
    });
    const field_types = description.field_types.map(({ field_type, label }) => ({ field_type, label }));
    return { plugin_id, name: description.name, field_types, last_refresh: now.toISOString() };
  }

  private sealedToken({ plugin_id, sealed_secrets }: PluginEntity, sealing_key: string): string | null {
    const { token } = this.stored.open(sealed_secrets, plugin_id);
    return token === undefined ? null : sealToProcess(sealing_key, tokenSeal(plugin_id), token);
  }
}

/**
 * Returns the refusal for a plugin that is not here. When its company does not live here either, its pass is no longer valid: it was issued
 * before the company moved, and the caller gets another one where the company lives now. @spec D2-7
 */
async function absent(tx: EntityManager, company_user_id: string | undefined): Promise<Refusal> {
  const isRemoved = company_user_id === undefined || (await homeStateOf(tx, company_user_id)) === 'here';
  return new Refusal(isRemoved ? 'plugin.not_found' : 'plugin.pass_invalid');
}
