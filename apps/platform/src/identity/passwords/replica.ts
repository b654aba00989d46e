/** The name of one process of the front door, for what is asked of that one alone. */
export const REPLICA = Symbol('the name of this process');
