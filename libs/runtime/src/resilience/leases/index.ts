export { HeldLeases } from './held-leases.ts';
export { LeaseEntity, ReplicaEntity } from './lease.entity.ts';
export { LeaseLost, type Lease } from './lease.ts';
export { fence, ShardLeases, type ShardLeasesOptions } from './shard-leases.ts';
