import type { Bucket } from '@codase/contracts';

/** The tokens left in a bucket, and when they were counted. */
export interface Level {
  tokens: number;
  at: number;
}

/** Returns how many tokens a bucket holds now. A clock that went back adds none. */
export const filled = ({ burst, per_second }: Pick<Bucket, 'burst' | 'per_second'>, { tokens, at }: Level, now: number): number =>
  Math.min(burst, tokens + (Math.max(0, now - at) / 1000) * per_second);

/** Whole seconds until one more call fits. */
export const secondsUntilOne = ({ per_second }: Pick<Bucket, 'per_second'>, tokens: number): number =>
  Math.max(1, Math.ceil((1 - tokens) / per_second));
