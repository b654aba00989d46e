import { hash } from 'node:crypto';

/** Webhooks are shared out in this many parts. More than anybody has processes; few enough to renew in one statement. */
export const SHARDS = 32;
export const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** The part a webhook is in, always the same. */
export const shardOf = (webhook_id: string): number => hash('sha256', webhook_id, 'buffer')[0]! % SHARDS;

/** How many parts each of so many processes should have: a few may have one less. */
export const fairShare = (processes: number): number => Math.ceil(SHARDS / Math.max(1, processes));
