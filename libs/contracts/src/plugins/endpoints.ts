import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { BODY_BYTES } from '../core/limits.ts';
import { whole } from '../core/page.ts';
import { pluginId } from '../core/params.ts';
import { Ciphertext } from '../core/sealed.ts';
import { SLUG } from '../core/text.ts';
import { RefreshedPlugin } from './description.ts';
import { NewPlugin, Plugin, PluginQuestion, PluginTokenChange, PluginWithPass, RegistryPass } from './shapes.ts';

const ROUTE = { tag: 'plugins', at: ['region'], spec: 'D1-4.6', callers: ['portal'] } as const;
const ofPlugin = z.object({ id: pluginId });

export const listPlugins = endpoint('list_plugins', 'GET /api/account/plugins', {
  ...ROUTE,
  summary: "The company's plugins, and the built-in ones it could switch on",
  description: 'The plugins of the company with their state and what uses them, and the built-in ones. Tokens are masked.',
  result: whole(Plugin).extend({ builtin: z.array(z.object({ key: z.string(), name: z.string(), enabled: z.boolean() })) }),
});

export const addPlugin = endpoint('add_plugin', 'POST /api/account/plugins', {
  ...ROUTE,
  summary: 'Add a plugin by its address; the pass fetches its description',
  description:
    'Registers a plugin by its https address. The answer carries a pass: call `refresh_plugin` at the forwarder with it, so that ' +
    'the description is fetched. Until then its fields cannot be used.',
  body: NewPlugin,
  status: 201,
  result: PluginWithPass,
  refusals: ['request.invalid', 'plugins.url_invalid', 'plugins.body_invalid', 'plugins.duplicate'],
});

export const switchOnBuiltin = endpoint('switch_on_builtin', 'POST /api/account/plugins/builtin/{key}', {
  ...ROUTE,
  summary: 'Switch on a built-in plugin',
  description:
    'Switches a plugin of the platform on for the company. It needs no address and takes no token; the pass fetches its description.',
  params: z.object({
    key: z.string().regex(SLUG, fails('plugins.builtin_unknown')).describe('The key of a built-in plugin, from the list of plugins'),
  }),
  status: 201,
  result: PluginWithPass,
  refusals: ['plugins.builtin_unknown', 'plugins.duplicate'],
});

export const changePluginToken = endpoint('change_plugin_token', 'PUT /api/account/plugins/{id}', {
  ...ROUTE,
  summary: 'Change the token of a plugin: an empty text keeps it, null clears it',
  description: 'Replaces the bearer token that the forwarder presents to the plugin. An empty text leaves it as it is, null removes it.',
  params: ofPlugin,
  body: PluginTokenChange,
  result: Plugin,
  refusals: ['request.invalid', 'plugins.not_found', 'plugins.body_invalid', 'plugins.builtin_token_locked'],
});

export const issueRegistryPass = endpoint('issue_registry_pass', 'POST /api/account/plugins/{id}/registry-pass', {
  ...ROUTE,
  summary: 'A pass to refresh the description of a plugin at the forwarder',
  description:
    'A pass to have the description of a plugin fetched again, after the plugin has changed. Flows and request rows keep the ' +
    'description they were saved with.',
  params: ofPlugin,
  result: RegistryPass,
  refusals: ['plugins.not_found'],
});

export const deletePlugin = endpoint('delete_plugin', 'DELETE /api/account/plugins/{id}', {
  ...ROUTE,
  summary: 'Delete a plugin nothing uses',
  description: 'Removes a plugin. While flows, request rows or claims use it, the answer lists them: take it out there first.',
  params: ofPlugin,
  refusals: ['plugins.not_found', 'plugins.in_use'],
});

/** The pass travels in the body: no credential of the platform goes to the forwarder. @spec D2-4.5 */
const FORWARDER = { tag: 'forwarder', at: ['forwarder'], spec: 'D2-4.5', callers: ['anyone'], limit: 'plugin_calls' } as const;

export const callPlugin = endpoint('call_plugin', 'POST /call', {
  ...FORWARDER,
  summary: 'Send a sealed question to a plugin and get its sealed reply',
  description:
    'Carries a sealed question to a plugin and its sealed reply back. Send no credential of the platform: the pass in the body is ' +
    'what counts. On `plugin.key_changed` seal again to the key in the answer, once; on a refused pass get a new one, once.',
  body: PluginQuestion,
  largest: BODY_BYTES,
  result: z.object({ reply: Ciphertext }),
  refusals: [
    'rate_limit.exceeded',
    'request.invalid',
    'plugin.pass_invalid',
    'plugin.not_in_pass',
    'plugin.key_changed',
    'plugin.request_invalid',
    'plugin.not_found',
    'plugin.busy',
    'plugin.rate_limited',
    'plugin.not_responding',
    'plugin.unavailable',
  ],
});

/** The call that a registry pass is issued for. @spec D1-4.6 @gap D2-4.5 */
export const refreshPlugin = endpoint('refresh_plugin', 'POST /refresh', {
  ...FORWARDER,
  summary: 'Fetch the description of a plugin again, by a registry pass',
  description: 'Fetches the description of a plugin from its address, with a registry pass, and stores it.',
  body: PluginQuestion.pick({ pass: true }),
  result: RefreshedPlugin,
  refusals: [
    'rate_limit.exceeded',
    'request.invalid',
    'plugin.pass_invalid',
    'plugin.not_found',
    'plugin.busy',
    'plugin.rate_limited',
    'plugin.not_responding',
    'plugin.unavailable',
  ],
});
