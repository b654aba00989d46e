import type { SealedFor } from '../../kit/secrets/process-seal.ts';

/** Returns the use and owner of a sealed token that travels from the region to the forwarder process that calls the plugin. */
export const tokenSeal = (plugin_id: string): SealedFor => ({ use: 'codase plugin token', owner_id: plugin_id });
