export { FLOWS } from './capability.ts';
export type { FlowFileRow } from './files.store.ts';
export { FLOW_IN_USE, PLUGIN_SNAPSHOTS, type FlowInUse, type PluginDescriptions, type PluginSnapshots } from './flows.hook.ts';
export type { FlowRow, PublishedVersion } from './flow-row.ts';
export { flowsUsingPlugin, versionsUsingPlugins } from './flows.store.ts';
export { PublishedFlows } from './published-flows.service.ts';
