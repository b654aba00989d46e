import { ConfigFault } from '@cds/runtime/config';
import { AUDIT } from '../audit/index.ts';
import type { Capability } from '../capability.ts';
import type { RegionConfig } from '../config.ts';
import { contribute } from '../hooks.ts';
import { Plugins1763164800065 } from '../migrations/region/1763164800065-plugins.ts';
import { REGIONS } from '../regions/index.ts';
import { FIELD_PLUGINS, SERVICES } from '../services/index.ts';
import { TOKENS } from '../tokens/index.ts';
import { SEALED_ROWS, WEBHOOKS } from '../webhooks/index.ts';
import { LOOPBACK_PLUGINS, PluginAddresses } from './plugin-addresses.service.ts';
import { PLUGIN_IN_USE } from './plugin-in-use.hook.ts';
import { FORWARDER_URL, PluginPasses } from './plugin-passes.service.ts';
import { PluginSnapshots } from './plugin-snapshots.service.ts';
import { PluginsHttp } from './plugins.http.ts';
import { Plugins } from './plugins.service.ts';
import { SealedPluginTokens } from './plugins.store.ts';
import { RequestFieldPlugins } from './request-field-plugins.service.ts';

function configureRegion({ FORWARDER_URL: url, LOOPBACK_TARGETS, NODE_ENV }: RegionConfig) {
  const loopback = LOOPBACK_TARGETS === 'allowed';
  if (loopback && NODE_ENV === 'production')
    throw new ConfigFault(['LOOPBACK_TARGETS: allowed is for development; in production plugins have public addresses alone']);
  return {
    providers: [
      { provide: FORWARDER_URL, useValue: url },
      { provide: LOOPBACK_PLUGINS, useValue: loopback },
    ],
  };
}

/** What helps to answer fields: companies' own servers, and those of the platform. @spec D1-2.11 @spec D2-2.6 @spec D2-4.5 */
export const PLUGINS: Capability = {
  name: 'plugins',
  uses: [AUDIT, REGIONS, TOKENS, SERVICES, WEBHOOKS],
  tables: {
    region: {
      plugin: { moves: { owner: 'company_user_id', key: 'plugin_id', sealed: 'sealed_secrets' } },
      plugin_call: { stays: 'a window that begins anew at the new region is no harm' },
    },
  },
  migrations: { region: [Plugins1763164800065] },
  offers: [PLUGIN_IN_USE],
  parts: {
    region: {
      http: [PluginsHttp],
      providers: [Plugins, PluginAddresses, PluginPasses, PluginSnapshots, RequestFieldPlugins, SealedPluginTokens],
      contributes: [
        contribute(FIELD_PLUGINS, RequestFieldPlugins),
        contribute(PLUGIN_IN_USE, RequestFieldPlugins),
        contribute(SEALED_ROWS, SealedPluginTokens),
      ],
      configure: configureRegion,
    },
  },
};
