/**
 * Returns the milliseconds of a clock that all processes of a machine share. The origins of `performance.now()` differ between processes by
 * a millisecond and more.
 */
export const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;
