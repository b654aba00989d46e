/** Returns the milliseconds of a clock that all processes share: the origins of `performance.now()` differ by a millisecond and more. */
export const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;
