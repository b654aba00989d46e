export { backoffMs, withJitter, type Backoff } from './backoff.ts';
export { Batcher, type BatcherOptions } from './batcher.ts';
export { FairQueue } from './fair-queue.ts';
export { FairSemaphore, type Capacity, type Release, type Saturated } from './fair-semaphore.ts';
export { callFailure, isTransient, type CallFailure } from './is-transient.ts';
export { monotonic, type Monotonic } from './monotonic.ts';
export { repeat, type Repeated, type RepeatOptions } from './repeat.ts';
export { retry, type RetryOptions } from './retry.ts';
export { withTimeout } from './with-timeout.ts';
