/** Milliseconds that only grow: nobody sets this time back, and it is the same for no two processes. */
export type Monotonic = () => number;

export const monotonic: Monotonic = () => performance.now();
