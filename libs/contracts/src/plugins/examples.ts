import type { Examples } from '../core/example.ts';
import { AT, page, PUBLIC_KEY, SEALED } from '../core/samples.ts';

export const SNAPSHOT = {
  plugin_name: 'Address search',
  host: 'plugins.acme.example',
  label: 'Delivery address',
  blocks: [{ key: 'place', kind: 'search_select', label: 'Place' }],
  inputs: [{ key: 'country', type: 'text', label: 'Country', required: true }],
  outputs: [{ key: 'zone', type: 'number', label: 'Delivery zone' }],
};
const PLUGIN = {
  id: 'plug_20',
  name: 'Address search',
  base_url: 'https://plugins.acme.example',
  builtin_key: null,
  token: '••••7f2a',
  field_types: [{ field_type: 'delivery_address', label: 'Delivery address' }],
  last_refresh: AT,
  last_error: null,
  in_use: { flows: ['Framework agreement'], request_fields: [], claims: [] },
};
export const REGISTRY_PASS = { pass: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', forwarder_url: 'https://forwarder.codase.example' };

/** What a party needs to ask the plugin of a field. */
export const PLUGIN_PASS = {
  ...REGISTRY_PASS,
  plugins: [{ id: 'plug_20', public_key: PUBLIC_KEY }],
  specs: { delivery: { plugin_id: 'plug_20', field_type: 'delivery_address', snapshot: SNAPSHOT, inputs: {} } },
};

/** Examples, by the names of the endpoints. */
export const pluginsExamples: Examples = {
  list_plugins: { result: { ...page(PLUGIN), builtin: [{ key: 'address_search', name: 'Address search', enabled: false }] } },
  add_plugin: {
    body: { base_url: 'https://plugins.acme.example', token: 'plugin-token-7f2a' },
    result: { ...PLUGIN, registry_pass: REGISTRY_PASS },
  },
  switch_on_builtin: { result: { ...PLUGIN, base_url: null, builtin_key: 'address_search', token: null, registry_pass: REGISTRY_PASS } },
  change_plugin_token: { body: { token: 'plugin-token-7f2b' }, result: PLUGIN },
  issue_registry_pass: { result: REGISTRY_PASS },
  call_plugin: { body: { pass: REGISTRY_PASS.pass, plugin_id: 'plug_20', request: SEALED }, result: { reply: SEALED } },
  refresh_plugin: {
    body: { pass: REGISTRY_PASS.pass },
    result: {
      plugin_id: 'plug_20',
      name: 'Address search',
      field_types: [{ field_type: 'delivery_address', label: 'Delivery address' }],
      last_refresh: AT,
    },
  },
};
