import type { Bucket } from '@cds/contracts';
import { filled, secondsUntilOne, type Level } from './token-bucket.ts';

/** The buckets of one limit, in memory. Beyond so many keys, the one that was used least recently starts anew. */
export class BucketMap {
  private readonly levels = new Map<string, Level>();

  constructor(
    private readonly bucket: Bucket,
    private readonly most: number,
  ) {}

  /** Takes one and answers 0, or takes nothing and answers how many seconds until there is one. */
  take(key: string, now: number): number {
    const tokens = filled(this.bucket, this.levels.get(key) ?? { tokens: this.bucket.burst, at: now }, now);
    if (tokens < 1) return secondsUntilOne(this.bucket, tokens);
    this.remember(key, { tokens: tokens - 1, at: now });
    return 0;
  }

  /** What was used last stands last. */
  private remember(key: string, level: Level): void {
    this.levels.delete(key);
    if (this.levels.size >= this.most) this.levels.delete(this.levels.keys().next().value!);
    this.levels.set(key, level);
  }
}
