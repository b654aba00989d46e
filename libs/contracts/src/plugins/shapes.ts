import { z } from 'zod';
import { fails } from '../core/fails.ts';
import { named } from '../core/named.ts';
import { PublicKey, Sealed } from '../core/sealed.ts';
import { Id, Slug, Timestamp } from '../core/text.ts';
import { PLUGIN_TOKEN_CHARS } from './limits.ts';

/** The types of values in constants and plugins. @spec D2-2.5 */
export const ValueType = z.enum(['number', 'text', 'date', 'boolean']);

/** How a block is filled: by a search among what the plugin offers, or by a typed value. @spec D2-2.6 */
export const BlockKind = z.enum(['search_select', ...ValueType.options]);

const Output = z.object({ key: z.string(), type: ValueType, label: z.string() });

/** A plugin field as the plugin described it when the flow or row was saved. @spec D2-2.6 */
export const PluginSnapshot = named(
  'PluginSnapshot',
  z.object({
    plugin_name: z.string(),
    host: z.string(),
    label: z.string(),
    blocks: z.array(z.object({ key: z.string(), kind: BlockKind, label: z.string(), depends_on: z.array(z.string()).optional() })),
    inputs: z.array(Output.extend({ required: z.boolean() })),
    outputs: z.array(Output),
  }),
);
export type PluginSnapshot = z.infer<typeof PluginSnapshot>;

/** Which field of which plugin, and the flow key each of its inputs comes from. @spec D2-2.6 */
export const PluginUse = z.object({
  plugin_id: z.string(),
  field_type: z.string(),
  snapshot: PluginSnapshot,
  inputs: z.record(z.string(), z.string()),
});
export type PluginUse = z.infer<typeof PluginUse>;

/** A kind of field the plugin offers, as its description says. @spec D1-2.11 @gap D1-2.11 */
export const PluginFieldType = z.object({ field_type: z.string(), label: z.string() });

/** The names of what uses a plugin. @spec D1-2.11 */
export const PluginUsers = z.object({ flows: z.array(z.string()), request_fields: z.array(z.string()), claims: z.array(z.string()) });
export type PluginUsers = z.infer<typeof PluginUsers>;

/** A plugin as its company sees it. @spec D1-2.11 */
export const Plugin = named(
  'Plugin',
  z.object({
    id: Id,
    name: z.string().nullable(),
    base_url: z.string().nullable(),
    builtin_key: z.string().nullable(),
    /** The token, masked. */
    token: z.string().nullable(),
    field_types: z.array(PluginFieldType),
    last_refresh: Timestamp.nullable(),
    last_error: z.string().nullable(),
    in_use: PluginUsers,
  }),
);

/** A pass to refresh the description of one plugin. @spec D1-4.6 */
export const RegistryPass = z.object({ pass: z.string(), forwarder_url: z.url() });
export type RegistryPass = z.infer<typeof RegistryPass>;

/** @spec D1-4.6 */
export const PluginWithPass = Plugin.extend({ registry_pass: RegistryPass });

const badBody = fails('plugins.body_invalid');

/** The token of a plugin, of visible ASCII. @spec D1-8 */
export const PluginToken = z
  .string(badBody)
  .max(PLUGIN_TOKEN_CHARS, badBody)
  .regex(/^[\x21-\x7e]+$/, badBody);

/** @spec D1-4.6 */
export const NewPlugin = z.strictObject({
  base_url: z.string(badBody).min(1, badBody).max(2048, fails('plugins.url_invalid')).refine(isPluginAddress, fails('plugins.url_invalid')),
  token: PluginToken.optional(),
});

/** Checks the form of an address. Which hosts and ports may be called is decided by the platform, at each call. @spec D1-7 */
function isPluginAddress(address: string): boolean {
  if (!URL.canParse(address) || /[?#\s]/.test(address)) return false;
  const { protocol, username, password } = new URL(address);
  return protocol === 'https:' && username === '' && password === '';
}

/** An empty string keeps the stored token, null clears it. @spec D1-4.6 */
export const PluginTokenChange = z.strictObject({ token: z.union([z.literal(''), z.null(), PluginToken], badBody) });

/** What a party needs to ask plugins about its step. @spec D2-2.6 */
export const PluginPass = named(
  'PluginPass',
  z.object({
    pass: z.string(),
    forwarder_url: z.url(),
    /** A `public_key` is null when the description could not be fetched: then the field does not respond. */
    plugins: z.array(z.object({ id: z.string(), public_key: PublicKey.nullable() })),
    specs: z.record(z.string(), PluginUse),
  }),
);
export type PluginPass = z.infer<typeof PluginPass>;

/** A sealed question to a plugin. @spec D2-4.5 */
export const PluginQuestion = z.strictObject({
  pass: z.string(fails('plugin.pass_invalid')).min(1, fails('plugin.pass_invalid')).max(8192, fails('plugin.pass_invalid')),
  plugin_id: z.string(fails('plugin.not_found')).max(64, fails('plugin.not_found')),
  request: z.string(fails('plugin.request_invalid')).refine((text) => Sealed.safeParse(text).success, fails('plugin.request_invalid')),
});

/** A plugin in a request row or claim, as a client writes it. A row copies its snapshot when saved, a claim reads it. @spec D1-2.6 */
export const PluginChoice = z.strictObject({ plugin_id: Id, field_type: Slug });
export type PluginChoice = z.infer<typeof PluginChoice>;
