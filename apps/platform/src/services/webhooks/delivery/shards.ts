import { hash } from 'node:crypto';

/** The number of shards of webhooks: more than anybody has processes, and few enough to renew in one statement. */
export const SHARDS = 32;
export const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);
/** The names of the shards in their leases. */
export const SHARD_NAMES: readonly string[] = ALL_SHARDS.map(String);

/** The kind of the leases on shards of webhooks. */
export const DELIVERY_LEASES = 'webhooks';

/** Shards that were computed lately, because every delivery needs its shard twice. */
const known = new Map<string, number>();
const MAX_KNOWN = 100_000;

/** Returns the shard of a webhook, which is always the same. The database computes it too (`webhook_shard`). */
export function shardOf(webhook_id: string): number {
  const before = known.get(webhook_id);
  if (before !== undefined) return before;
  const shard = hash('sha256', webhook_id, 'buffer')[0]! % SHARDS;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(webhook_id, shard);
  return shard;
}
