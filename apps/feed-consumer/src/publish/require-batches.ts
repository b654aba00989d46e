import { ConfigFault, isProduction, type NodeEnv } from '@codase/runtime/config';

/**
 * Requires atomic batches in production. A stream that survives a power cut is synced with every write, and without batches that is one
 * sync for each event: a feed of any size falls behind. Development works without batches.
 */
export function requireBatches({ hasBatches }: { hasBatches: boolean }, config: NodeEnv): void {
  if (hasBatches || !isProduction(config)) return;
  throw new ConfigFault(['NATS_URL: this nats-server has no atomic batches; production needs 2.12 or later (or set NODE_ENV=development)']);
}
