export { PLUGINS } from './capability.ts';
export { PLUGIN_IN_USE, type PluginInUse, type PluginUser } from './plugin-in-use.hook.ts';
export { PluginPasses } from './plugin-passes.service.ts';
export { PluginSnapshots } from './plugin-snapshots.service.ts';
