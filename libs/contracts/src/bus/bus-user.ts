/** The two planes never meet on the bus: no account has users of both, so a subject of one does not exist for the other. */
export type Plane = 'platform' | 'suite';

/** A user of the bus, with the subjects it may publish to and subscribe to. The server refuses all others. */
export interface BusUser {
  user: string;
  plane: Plane;
  /** For an operator the account of its plane. Every other user has an account of its own, by its name. */
  account: string;
  publish: readonly string[];
  subscribe: readonly string[];
}
