import { hash } from 'node:crypto';

/** The shards of webhooks. More than anybody has processes; few enough to renew in one statement. */
export const SHARDS = 32;
export const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);
/** As their leases name them. */
export const SHARD_NAMES: readonly string[] = ALL_SHARDS.map(String);

/** The kind of the leases on shards of webhooks. */
export const DELIVERY_LEASES = 'webhooks';

/** What was computed lately: every delivery asks for it twice. */
const known = new Map<string, number>();
const MOST_KNOWN = 100_000;

/** The shard of a webhook, always the same; the database computes it too (webhook_shard). */
export function shardOf(webhook_id: string): number {
  const before = known.get(webhook_id);
  if (before !== undefined) return before;
  const shard = hash('sha256', webhook_id, 'buffer')[0]! % SHARDS;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(webhook_id, shard);
  return shard;
}
