export { HeldLeases } from './held-leases.ts';
export { LeaseEntity } from './lease.entity.ts';
export { LeaseLost, type Lease } from './lease.ts';
export { ReplicaEntity } from './replica.entity.ts';
export { fence, ShardLeases, type ShardLeasesOptions } from './shard-leases.ts';
