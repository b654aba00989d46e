/** The two planes never meet on the bus: each has an account of its own, so a subject of one does not exist for the other. */
export type Plane = 'platform' | 'suite';

/** Who may say and hear what. What is not listed is refused by the server. */
export interface BusUser {
  user: string;
  plane: Plane;
  /** The account of the plane, or for a role of the platform and an internal consumer one of its own, by its name. */
  account: string;
  publish: readonly string[];
  subscribe: readonly string[];
}
