import type { Output, PluginSnapshot, plugins, PluginUsers } from '@codase/contracts';
import { mask } from '../../kit/mask.ts';
import type { PluginEntity } from './plugin.entity.ts';

export type PresentedPlugin = Output<typeof plugins.listPlugins>['items'][number];

export const presentPlugin = (row: PluginEntity, token: string | undefined, in_use: PluginUsers): PresentedPlugin => ({
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
  { description, base_url }: Pick<PluginEntity, 'description' | 'base_url'>,
  platformHost: string,
): ReadonlyMap<string, PluginSnapshot> | null {
  if (!description) return null;
  const host = base_url === null ? platformHost : new URL(base_url).host;
  const { name: plugin_name, field_types } = description;
  return new Map(field_types.map(({ field_type, ...described }) => [field_type, { plugin_name, host, ...described }]));
}
