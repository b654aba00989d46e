export { FLOWS } from './capability.ts';
export type { FlowFileRow } from './files.store.ts';
export { FLOW_IN_USE, type FlowInUse } from './flow-in-use.hook.ts';
export type { FlowRow, PublishedVersion } from './flow-row.ts';
export { flowsUsingPlugin, versionsUsingPlugins } from './flows.store.ts';
export { PLUGIN_SNAPSHOTS, type PluginDescriptions, type PluginSnapshots } from './plugin-snapshots.hook.ts';
export { PublishedFlows } from './published-flows.service.ts';
