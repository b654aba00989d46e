/** Finds where users live: a region knows its own users, the front door knows all. */
export interface Homes {
  /** Refuses a call of a user who does not live here; the refusal names the right base. */
  check(user_id: string): Promise<void>;
  regionOf(user_id: string): Promise<string | undefined>;
}
export const HOMES = Symbol('Homes');
