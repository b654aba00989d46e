/** The right of one replica to work on a shard for a time. */
export interface Lease {
  /** The work that is split into shards: replicas that do the same work share one kind. */
  kind: string;
  /** The shard. */
  name: string;
  owner: string;
  /** Grows each time the shard changes hands. */
  epoch: string;
}

/** Another replica has taken the shard over; what was begun under the old lease must not be finished. */
export class LeaseLost extends Error {
  constructor({ kind, name }: Pick<Lease, 'kind' | 'name'>) {
    super(`The lease on the ${kind} shard ${name} has gone to another replica`);
    this.name = 'LeaseLost';
  }
}
