import { ConfigFault } from '@codase/runtime/config';

/**
 * Requires atomic batches in production. A stream that survives a power cut is synced with every write, and without batches that is one
 * sync for each event: a feed of any size falls behind. Development works without batches.
 */
export function requireBatches({ hasBatches }: { hasBatches: boolean }, { NODE_ENV }: { NODE_ENV: string }): void {
  if (hasBatches || NODE_ENV !== 'production') return;
  throw new ConfigFault(['NATS_URL: this nats-server has no atomic batches; production needs 2.12 or later (or set NODE_ENV=development)']);
}
