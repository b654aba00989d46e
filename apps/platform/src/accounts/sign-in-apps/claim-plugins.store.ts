import type { Claim } from '@codase/contracts';
import { column, execute, many, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { newId } from '../../kit/ids.ts';
import type { OwnApp } from './registered-apps.store.ts';
import { ClaimPluginEntity } from './app-sign-in.entity.ts';

/** What an app asks for from one of its changes until the next. */
export interface AppRevision extends OwnApp {
  revision: string;
  name: string;
  claims: readonly Claim[];
}

/** Notes the plugins that a revision uses. */
export async function notePlugins(tx: EntityManager, app: AppRevision, noted_at: Date, check_at: Date): Promise<void> {
  const rows = app.claims.flatMap(({ label, plugin }) =>
    plugin === null ? [] : [{ claim_plugin_id: newId('use'), plugin_id: plugin.plugin_id, label }],
  );
  await execute(tx)`
    insert into claim_plugin (claim_plugin_id, company_user_id, app_id, revision, plugin_id, app_name, label, noted_at, check_at)
    select claim_plugin_id, ${app.company_user_id}, ${app.app_id}, ${app.revision}, plugin_id, ${app.name}, label,
           ${noted_at}::timestamptz, ${check_at}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(claim_plugin_id text, plugin_id text, label text)`;
}

/** Notes the plugins of a revision that has no notes, although the front door has it. Returns how many there are. */
export async function noteMissing(tx: EntityManager, app: AppRevision, noted_at: Date, check_at: Date): Promise<number> {
  const plugins = app.claims.filter(({ plugin }) => plugin !== null).length;
  if (plugins === 0) return 0;
  const { company_user_id, app_id, revision } = app;
  if (await tx.getRepository(ClaimPluginEntity).existsBy({ app_id, company_user_id, revision })) return 0;
  await notePlugins(tx, app, noted_at, check_at);
  return plugins;
}

/** Returns the apps of a company that have notes. */
export function notedApps(db: Db, company_user_id: string): Promise<string[]> {
  return column<string>(db)`select distinct app_id from claim_plugin where company_user_id = ${company_user_id}`;
}

/** Returns the plugins that claims of an app use. */
export function pluginsOfApp(db: Db, { company_user_id, app_id }: OwnApp): Promise<string[]> {
  return column<string>(db)`
    select distinct plugin_id from claim_plugin where company_user_id = ${company_user_id} and app_id = ${app_id}`;
}

/** Returns companies with plugins, in one order, those after a company. */
export function companiesWithPlugins(db: Db, after: string, limit: number): Promise<string[]> {
  return column<string>(db)`
    select distinct company_user_id from plugin where company_user_id > ${after} order by company_user_id limit ${limit}`;
}

/** Has the worker look at an app from this moment on, unless its change is finished before. */
export const checkLater = (tx: EntityManager, { company_user_id, app_id }: OwnApp, check_at: Date) =>
  tx.getRepository(ClaimPluginEntity).update({ app_id, company_user_id }, { check_at });

export const forgetRevision = (tx: EntityManager, { company_user_id, app_id }: OwnApp, revision: string) =>
  tx.getRepository(ClaimPluginEntity).delete({ app_id, company_user_id, revision });

export const forgetApp = (tx: EntityManager, { company_user_id, app_id }: OwnApp) =>
  tx.getRepository(ClaimPluginEntity).delete({ app_id, company_user_id });

/** Forgets what was noted until a moment for other revisions than this one; all without a revision. Returns how many notes. */
export async function forgetOthers(
  tx: EntityManager,
  { company_user_id, app_id }: OwnApp,
  revision: string | undefined,
  until: Date,
): Promise<number> {
  const forgotten = await many(tx)`
    delete from claim_plugin
     where app_id = ${app_id} and company_user_id = ${company_user_id} and revision is distinct from ${revision ?? null}
       and noted_at <= ${until}
    returning 1`;
  return forgotten.length;
}

/** Notes that the front door has this revision, under this name. There is nothing left to finish. */
export const confirmRevision = (
  tx: EntityManager,
  { company_user_id, app_id }: OwnApp,
  { revision, name: app_name }: Pick<AppRevision, 'revision' | 'name'>,
) => tx.getRepository(ClaimPluginEntity).update({ app_id, company_user_id, revision }, { check_at: null, app_name });

/** Returns apps with a change that may be unfinished, the most overdue first. */
export const listDue = (db: Db, now: Date, limit: number): Promise<OwnApp[]> =>
  many<OwnApp>(db)`
    select company_user_id, app_id from claim_plugin
     where check_at <= ${now}
     group by company_user_id, app_id
     order by min(check_at)
     limit ${limit}`;

/** Returns the claims of a company that these plugins answer. @spec D1-2.11 */
export const claimsOfPlugins = (db: Db, company_user_id: string, plugin_ids: readonly string[]) =>
  many<{ plugin_id: string; name: string }>(db)`
    select plugin_id, app_name || ': ' || label as name from claim_plugin
     where company_user_id = ${company_user_id} and plugin_id = any(${plugin_ids}::text[])
     order by app_name, label`;
