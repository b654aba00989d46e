import { ConfigFault } from '@cds/runtime/config';

/**
 * A stream that is safe from a power cut is synced with every write, and without atomic batches that is a sync for each event: a feed of
 * any size falls behind. Development may do without.
 */
export function requireBatches({ hasBatches }: { hasBatches: boolean }, { NODE_ENV }: { NODE_ENV: string }): void {
  if (hasBatches || NODE_ENV !== 'production') return;
  throw new ConfigFault(['NATS_URL: this nats-server has no atomic batches; production needs 2.12 or later (or set NODE_ENV=development)']);
}
