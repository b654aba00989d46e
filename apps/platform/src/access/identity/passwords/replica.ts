/** The name of this front door process, for requests that only this process can answer. */
export const REPLICA = Symbol('the name of this process');
