import type { SealedFor } from '../process-seal.ts';

/** A plugin's token on its way from the region to the process of the forwarder that calls the plugin. */
export const tokenSeal = (plugin_id: string): SealedFor => ({ use: 'cds plugin token', owner_id: plugin_id });
