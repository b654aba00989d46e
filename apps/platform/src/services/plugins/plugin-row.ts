import type { Output, PluginDescription, PluginSnapshot, plugins, PluginUsers } from '@codase/contracts';
import { mask } from '../../kit/mask.ts';

/** A plugin of a company: one at an address, or a built-in one that was switched on. @spec D1-2.11 */
export interface PluginRow {
  plugin_id: string;
  company_user_id: string;
  base_url: string | null;
  builtin_key: string | null;
  /** The sealed token; when there is none, a sealed empty object. */
  sealed_secrets: string;
  /** Null until the description has been fetched. */
  description: PluginDescription | null;
  last_refresh: Date | null;
  last_error: string | null;
  created_at: Date;
}

export type PresentedPlugin = Output<typeof plugins.listPlugins>['items'][number];

export const presentPlugin = (row: PluginRow, token: string | undefined, in_use: PluginUsers): PresentedPlugin => ({
  id: row.plugin_id,
  name: row.description?.name ?? null,
  base_url: row.base_url,
  builtin_key: row.builtin_key,
  token: token === undefined ? null : mask(token),
  field_types: (row.description?.field_types ?? []).map(({ field_type, label }) => ({ field_type, label })),
  last_refresh: row.last_refresh?.toISOString() ?? null,
  last_error: row.last_error,
  in_use,
});

/** Returns the field types of a plugin, as flows and request fields copy them; null while it has no description. @spec D2-2.6 */
export function snapshotsOf(
  { description, base_url }: Pick<PluginRow, 'description' | 'base_url'>,
  platformHost: string,
): ReadonlyMap<string, PluginSnapshot> | null {
  if (!description) return null;
  const host = base_url === null ? platformHost : new URL(base_url).host;
  const { name: plugin_name, field_types } = description;
  return new Map(field_types.map(({ field_type, ...described }) => [field_type, { plugin_name, host, ...described }]));
}
