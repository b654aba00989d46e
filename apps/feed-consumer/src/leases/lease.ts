/** A duty that is ours for a time. */
export interface Lease {
  kind: string;
  name: string;
  owner: string;
  epoch: string;
}

/** Somebody else has taken the duty over; what was begun under the old lease must not be finished. */
export class LeaseLost extends Error {
  constructor({ kind, name }: Pick<Lease, 'kind' | 'name'>) {
    super(`The ${kind} duty ${name} has gone to another replica`);
    this.name = 'LeaseLost';
  }
}
