import type { Bucket } from '@codase/contracts';
import { filled, secondsUntilOne, type Level } from './token-bucket.ts';

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
