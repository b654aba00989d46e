import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type PluginDescription } from '@codase/contracts';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import type { SealedRow, SealedRows } from '../webhooks/index.ts';
import { PluginEntity } from './plugin.entity.ts';

export type OwnPlugin = Pick<PluginEntity, 'company_user_id' | 'plugin_id'>;

/** Lists all plugins of a company, the oldest first. There are few. */
export const listPlugins = (db: Db, company_user_id: string): Promise<PluginEntity[]> =>
  db.getRepository(PluginEntity).find({ where: { company_user_id }, order: { created_at: 'ASC', plugin_id: 'ASC' } });

/** Finds a plugin of the company. The plugin of another company is not found. */
export async function findPlugin(db: Db, { company_user_id, plugin_id }: OwnPlugin): Promise<PluginEntity> {
  const row = await db.getRepository(PluginEntity).findOneBy({ plugin_id, company_user_id });
  if (!row) throw new Refusal('plugins.not_found');
  return row;
}

/** Finds a plugin and locks it until the transaction ends: meanwhile it is neither changed nor described, and no row begins to use it. */
export async function lockPlugin(tx: EntityManager, { company_user_id, plugin_id }: OwnPlugin): Promise<PluginEntity> {
  const row = await one<PluginEntity>(tx)`
    select * from plugin where plugin_id = ${plugin_id} and company_user_id = ${company_user_id} for update`;
  if (!row) throw new Refusal('plugins.not_found');
  return row;
}

/** Locks plugins that a row begins to use: they cannot be deleted until the transaction ends. */
export const holdPlugins = (db: Db, company_user_id: string, plugin_ids: readonly string[]) => many<PluginEntity>(db)`
  select * from plugin
   where company_user_id = ${company_user_id} and plugin_id = any(${[...plugin_ids].toSorted()}::text[])
   order by plugin_id for key share`;

/** Adds a plugin. Returns false when the company has one at the address already, or has the built-in switched on. */
export const addPlugin = async (tx: EntityManager, row: PluginEntity): Promise<boolean> =>
  (await one(tx)`
    insert into plugin (plugin_id, company_user_id, base_url, builtin_key, sealed_secrets, created_at)
    values (${row.plugin_id}, ${row.company_user_id}, ${row.base_url}, ${row.builtin_key}, ${row.sealed_secrets}, ${row.created_at})
    on conflict do nothing
    returning plugin_id`) !== undefined;

export const putSecrets = (tx: EntityManager, plugin_id: string, sealed_secrets: string) =>
  tx.getRepository(PluginEntity).update({ plugin_id }, { sealed_secrets });

export const removePlugin = (tx: EntityManager, plugin_id: string) => tx.getRepository(PluginEntity).delete({ plugin_id });

/** Stores the description of a plugin. Returns whether it differs from the one before; undefined when there is no such plugin. */
export const putDescription = (tx: EntityManager, plugin_id: string, description: PluginDescription, at: Date) =>
  one<{ is_new: boolean }>(tx)`
  update plugin p set description = ${JSON.stringify(description)}::jsonb, last_refresh = ${at}, last_error = null
    from (select plugin_id, description from plugin where plugin_id = ${plugin_id} for update) before
   where p.plugin_id = before.plugin_id
  returning p.description is distinct from before.description as is_new`;

/** Stores why the plugin did not respond, or null when it did. Its description stays. */
export const putError = (tx: EntityManager, plugin_id: string, last_error: string | null) =>
  execute(tx)`update plugin set last_error = ${last_error} where plugin_id = ${plugin_id} and last_error is distinct from ${last_error}`;

/** The tokens of plugins, for sealing them again. */
@Injectable()
export class SealedPluginTokens implements SealedRows {
  constructor(@Inject(REGION_DB) private readonly db: Db) {}

  after(id: string, limit: number): Promise<SealedRow[]> {
    return many<SealedRow>(this.db)`
      select plugin_id as id, company_user_id, sealed_secrets from plugin where plugin_id > ${id} order by plugin_id limit ${limit}`;
  }

  async replace(tx: EntityManager, { id, sealed_secrets }: SealedRow, resealed: string): Promise<void> {
    await tx.getRepository(PluginEntity).update({ plugin_id: id, sealed_secrets }, { sealed_secrets: resealed });
  }
}
