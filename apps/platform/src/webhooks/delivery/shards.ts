import { hash } from 'node:crypto';

/** Webhooks are shared out in this many parts. More than anybody has processes; few enough to renew in one statement. */
export const SHARDS = 32;
export const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** What was worked out lately: every delivery asks for it twice. */
const known = new Map<string, number>();
const MOST_KNOWN = 100_000;

/** The part a webhook is in, always the same. */
export function shardOf(webhook_id: string): number {
  const before = known.get(webhook_id);
  if (before !== undefined) return before;
  const shard = hash('sha256', webhook_id, 'buffer')[0]! % SHARDS;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(webhook_id, shard);
  return shard;
}

/** How many parts each of so many processes should have: a few may have one less. */
export const fairShare = (processes: number): number => Math.ceil(SHARDS / Math.max(1, processes));
