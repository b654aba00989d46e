import { Inject, Injectable } from '@nestjs/common';
import { PLUGINS_PER_COMPANY, Refusal, type AuditAct, type Input, type Output, type plugins, type PluginUsers } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { Home } from '../../foundation/regions/index.ts';
import { STORED_SECRETS, StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import { BUILTIN_PLUGINS } from './builtin/builtin-plugins.ts';
import { PluginAddresses } from './plugin-addresses.service.ts';
import { PLUGIN_IN_USE, type PluginInUse, type PluginUser } from './plugin-in-use.hook.ts';
import { PluginPasses } from './plugin-passes.service.ts';
import { presentPlugin, type PresentedPlugin } from './plugin-row.ts';
import { addPlugin, findPlugin, listPlugins, lockPlugin, putSecrets, removePlugin, type OwnPlugin } from './plugins.store.ts';
import type { PluginEntity } from './plugin.entity.ts';

type Added = Output<typeof plugins.addPlugin>;
type NewPlugin = Input<typeof plugins.addPlugin>['body'];
type TokenChange = Input<typeof plugins.changePluginToken>['body'];

/** The plugins of companies. @spec D1-2.11 @spec D1-4.6 */
@Injectable()
export class Plugins {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly home: Home,
    @Inject(STORED_SECRETS) private readonly stored: StoredSecrets,
    private readonly addresses: PluginAddresses,
    private readonly passes: PluginPasses,
    @Inject(PLUGIN_IN_USE) private readonly uses: readonly PluginInUse[],
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list(company_user_id: string): Promise<Output<typeof plugins.listPlugins>> {
    const rows = await listPlugins(this.db, company_user_id);
    const ids = rows.map(({ plugin_id }) => plugin_id);
    const users = await this.usersOf(this.db, company_user_id, ids);
    const isOn = (key: string) => rows.some(({ builtin_key }) => builtin_key === key);
    return {
      items: rows.map((row) => this.present(row, namesOf(users, row.plugin_id))),
      next_cursor: null,
      builtin: BUILTIN_PLUGINS.map(({ key, description }) => ({ key, name: description.name, enabled: isOn(key) })),
    };
  }

  add(company_user_id: string, { base_url, token }: NewPlugin): Promise<Added> {
    const address = { base_url: this.addresses.checked(base_url), builtin_key: null };
    return this.register(company_user_id, address, token);
  }

  /** @spec D1-4.6 */
  async switchOn(company_user_id: string, key: string): Promise<Added> {
    if (!BUILTIN_PLUGINS.some((builtin) => builtin.key === key)) throw new Refusal('plugins.builtin_unknown');
    return this.register(company_user_id, { base_url: null, builtin_key: key }, undefined);
  }

  /** Changes the token: an empty text keeps it, null removes it. @spec D1-4.6 */
  changeToken(own: OwnPlugin, { token }: TokenChange): Promise<PresentedPlugin> {
    return this.home.write(own.company_user_id, async (tx) => {
      const row = await lockPlugin(tx, own);
      if (row.builtin_key !== null) throw new Refusal('plugins.builtin_token_locked');
      const sealed_secrets = token === '' ? row.sealed_secrets : this.seal(row.plugin_id, token ?? undefined);
      await putSecrets(tx, row.plugin_id, sealed_secrets);
      if (token !== '') await this.record(tx, row, 'plugin.token_changed');
      const users = await this.usersOf(tx, own.company_user_id, [own.plugin_id]);
      return this.present({ ...row, sealed_secrets }, namesOf(users, own.plugin_id));
    });
  }

  async registryPass(own: OwnPlugin) {
    return this.passes.issueForRegistry(await findPlugin(this.db, own));
  }

  /** Deletes a plugin, which is locked: a transaction that begins to use it locks it too, and one waits for the other. @spec D1-2.11 */
  remove(own: OwnPlugin): Promise<void> {
    return this.home.write(own.company_user_id, async (tx) => {
      const row = await lockPlugin(tx, own);
      const in_use = namesOf(await this.usersOf(tx, own.company_user_id, [own.plugin_id]), own.plugin_id);
      if (Object.values(in_use).some((names) => names.length > 0)) throw new Refusal('plugins.in_use', { in_use });
      await removePlugin(tx, row.plugin_id);
      await this.record(tx, row, 'plugin.deleted');
    });
  }

  private async register(
    company_user_id: string,
    address: Pick<PluginEntity, 'base_url' | 'builtin_key'>,
    token: string | undefined,
  ): Promise<Added> {
    const row = this.newRow(company_user_id, address, token);
    await this.home.write(company_user_id, async (tx) => {
      const before = (await listPlugins(tx, company_user_id)).length;
      if (before >= PLUGINS_PER_COMPANY) throw tooMany();
      if (!(await addPlugin(tx, row))) throw new Refusal('plugins.duplicate');
      await this.record(tx, row, 'plugin.added');
    });
    return { ...this.present(row, namesOf([], row.plugin_id)), registry_pass: await this.passes.issueForRegistry(row) };
  }

  private newRow(
    company_user_id: string,
    address: Pick<PluginEntity, 'base_url' | 'builtin_key'>,
    token: string | undefined,
  ): PluginEntity {
    const plugin_id = newId('plug');
    return {
      plugin_id,
      company_user_id,
      ...address,
      sealed_secrets: this.seal(plugin_id, token),
      description: null,
      last_refresh: null,
      last_error: null,
      created_at: this.clock.now(),
    };
  }

  private async usersOf(db: Db, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginUser[]> {
    const found: PluginUser[] = [];
    for (const use of this.uses) found.push(...(await use.usersOf(db, company_user_id, plugin_ids)));
    return found;
  }

  private record(tx: EntityManager, { plugin_id, company_user_id }: PluginEntity, act: AuditAct): Promise<void> {
    return this.audit.record(tx, { act, account_id: company_user_id, object: plugin_id });
  }

  private seal(plugin_id: string, token: string | undefined): string {
    return this.stored.seal(token === undefined ? {} : { token }, plugin_id);
  }

  private present(row: PluginEntity, in_use: PluginUsers): PresentedPlugin {
    return presentPlugin(row, this.stored.open(row.sealed_secrets, row.plugin_id)['token'], in_use);
  }
}

/** Returns the names of the users of one plugin, each once. */
function namesOf(users: readonly PluginUser[], plugin_id: string): PluginUsers {
  const named = (kind: keyof PluginUsers) => [
    ...new Set(users.filter((user) => user.plugin_id === plugin_id && user.kind === kind).map(({ name }) => name)),
  ];
  return { flows: named('flows'), request_fields: named('request_fields'), claims: named('claims') };
}

const tooMany = () => new Refusal('request.invalid').because(`A company has at most ${PLUGINS_PER_COMPANY} plugins: delete one first`);
