/** How many shards each replica should have; some may have one less. */
export const fairShare = (shards: number, replicas: number): number => Math.ceil(shards / Math.max(1, replicas));
