export { HeldLeases } from './held-leases.ts';
export { LeaseLost, type Lease } from './lease.ts';
export { fence, ShardLeases, type ShardLeasesOptions } from './shard-leases.ts';
