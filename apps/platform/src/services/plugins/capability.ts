import { LiveVariable } from '@codase/runtime/config';
import { Outbound } from '@codase/runtime/http';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { ForwarderConfig, type RegionConfig } from '../../kit/config.ts';
import { FLOWS, PLUGIN_SNAPSHOTS } from '../flows/index.ts';
import { contribute, implement } from '../../kit/hooks.ts';
import { Plugins1763164800065 } from '../../migrations/region/1763164800065-plugins.ts';
import { allowsLoopback, outboundSettings } from '../../kit/outbound-settings.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { FIELD_PLUGINS, SERVICES } from '../services/index.ts';
import { TOKENS } from '../../access/tokens/index.ts';
import { SEALED_ROWS, WEBHOOKS } from '../webhooks/index.ts';
import { BuiltinAnswers } from './builtin/builtin-answers.service.ts';
import { BuiltinKeys } from './builtin/builtin-keys.service.ts';
import { FlowPlugins } from './flow-plugins.service.ts';
import { ForwarderHttp } from './forwarder/forwarder.http.ts';
import { PluginForwarder } from './forwarder/plugin-forwarder.service.ts';
import { PLUGIN_OUTBOUND, PluginClient } from './forwarder/plugin-client.service.ts';
import { RegionPlugins } from './forwarder/region-plugins.service.ts';
import { METRICS } from './metrics.ts';
import { PluginCallsBus } from './plugin-calls.bus.ts';
import { PluginCalls } from './plugin-calls.service.ts';
import { LOOPBACK_PLUGINS, PluginAddresses } from './plugin-addresses.service.ts';
import { PLUGIN_IN_USE } from './plugin-in-use.hook.ts';
import { FORWARDER_URL, PluginPasses } from './plugin-passes.service.ts';
import { PluginSnapshots } from './plugin-snapshots.service.ts';
import { PluginsHttp } from './plugins.http.ts';
import { Plugins } from './plugins.service.ts';
import { SealedPluginTokens } from './plugins.store.ts';
import { RequestFieldPlugins } from './request-field-plugins.service.ts';
import { PluginEntity, PluginCallEntity } from './plugin.entity.ts';

const configureRegion = (config: RegionConfig) => ({
  providers: [
    { provide: FORWARDER_URL, useValue: config.FORWARDER_URL },
    { provide: LOOPBACK_PLUGINS, useValue: allowsLoopback(config) },
  ],
});

function configureForwarder(config: ForwarderConfig) {
  const keys = new BuiltinKeys(LiveVariable.of(ForwarderConfig, config, 'BUILTIN_PLUGINS_KEY'));
  const outbound = new Outbound({ ...outboundSettings(config), httpsOnly: true, ca: config.OUTBOUND_CA });
  const providers = [
    { provide: BuiltinKeys, useValue: keys },
    { provide: PLUGIN_OUTBOUND, useValue: outbound },
  ];
  return { providers, keys: [keys] };
}

/** Plugins, which help to answer fields: servers of companies, and the platform's own plugins. @spec D1-2.11 @spec D2-2.6 @spec D2-4.5 */
export const PLUGINS: Capability = {
  name: 'plugins',
  uses: [AUDIT, REGIONS, TOKENS, SERVICES, WEBHOOKS, FLOWS],
  tables: {
    region: [
      { entity: PluginEntity, moves: { owner: 'company_user_id', key: 'plugin_id', sealed: 'sealed_secrets' } },
      { entity: PluginCallEntity, stays: 'a window that begins anew at the new region is no harm' },
    ],
  },
  afterRestore: { region: { nothing: 'changes of plugins since the copy are lost, and listed by the exported audit' } },
  migrations: { region: [Plugins1763164800065] },
  metrics: METRICS,
  offers: [PLUGIN_IN_USE],
  parts: {
    region: {
      http: [PluginsHttp],
      bus: [PluginCallsBus],
      providers: [
        FlowPlugins,
        Plugins,
        PluginAddresses,
        PluginCalls,
        PluginPasses,
        PluginSnapshots,
        RequestFieldPlugins,
        SealedPluginTokens,
      ],
      implements: [implement(FIELD_PLUGINS, RequestFieldPlugins), implement(PLUGIN_SNAPSHOTS, PluginSnapshots)],
      contributes: [
        contribute(PLUGIN_IN_USE, RequestFieldPlugins),
        contribute(PLUGIN_IN_USE, FlowPlugins),
        contribute(SEALED_ROWS, SealedPluginTokens),
      ],
      configure: configureRegion,
    },
    forwarder: {
      http: [ForwarderHttp],
      providers: [BuiltinAnswers, PluginForwarder, PluginClient, RegionPlugins],
      configure: configureForwarder,
    },
  },
};
