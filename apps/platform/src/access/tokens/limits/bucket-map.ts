import type { Bucket } from '@codase/contracts';

/** The buckets of one limit, in memory. Beyond `most` keys, the bucket that was used least recently is dropped and starts anew. */
export class BucketMap {
  private readonly levels = new Map<string, Level>();

  constructor(
    private readonly bucket: Bucket,
    private readonly most: number,
  ) {}

  /** Takes one token and returns 0, or takes nothing and returns the seconds until one is free. */
  take(key: string, now: number): number {
    const tokens = filled(this.bucket, this.levels.get(key) ?? { tokens: this.bucket.burst, at: now }, now);
    if (tokens < 1) return secondsUntilOne(this.bucket, tokens);
    this.remember(key, { tokens: tokens - 1, at: now });
    return 0;
  }

  /** Stores the level at the end of the map, so that the map is ordered by last use. */
  private remember(key: string, level: Level): void {
    this.levels.delete(key);
    if (this.levels.size >= this.most) this.levels.delete(this.levels.keys().next().value!);
    this.levels.set(key, level);
  }
}

/** The tokens left in a bucket, and when they were counted. */
interface Level {
  tokens: number;
  at: number;
}

/** Returns how many tokens a bucket holds now. A clock that went back adds none. */
export const filled = ({ burst, per_second }: Pick<Bucket, 'burst' | 'per_second'>, { tokens, at }: Level, now: number): number =>
  Math.min(burst, tokens + (Math.max(0, now - at) / 1000) * per_second);

/** Whole seconds until one more call fits. */
export const secondsUntilOne = ({ per_second }: Pick<Bucket, 'per_second'>, tokens: number): number =>
  Math.max(1, Math.ceil((1 - tokens) / per_second));
