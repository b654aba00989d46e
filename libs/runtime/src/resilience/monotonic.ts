/** Milliseconds that only grow: this time is never set back, and it differs between processes. */
export type Monotonic = () => number;

export const monotonic: Monotonic = () => performance.now();
