import { Inject, Injectable, Optional } from '@nestjs/common';
import { Refusal, type Bucket, type RateLimit } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { one, sql, type Db } from '@codase/runtime/db';
import { addressKey } from '@codase/runtime/http';
import { count } from '@codase/runtime/telemetry';
import { REGION_DB } from '../../../kit/databases.ts';
import { BucketMap, filled, secondsUntilOne } from './bucket-map.ts';
import { METRICS } from '../metrics.ts';

type Limits = Record<RateLimit, Bucket>;
export const LIMITS = Symbol('Limits');

/** Addresses remembered at once for each limit. */
const MAX_ADDRESSES = 100_000;

/**
 * Token buckets. Those by address are kept in memory, since the token endpoint must stay cheap; those by client are one statement in the
 * region's database, so that they hold across replicas. An IPv6 address counts by its network. @spec D1-5.4 @gap D1-8
 */
@Injectable()
export class RateLimits {
  /** One map for each limit, so that a flood of addresses at one limit resets no bucket of another. */
  private readonly byAddress: ReadonlyMap<RateLimit, BucketMap>;

  constructor(
    @Inject(LIMITS) private readonly limits: Limits,
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() @Inject(REGION_DB) private readonly db: Db | undefined,
  ) {
    const entries = Object.entries(limits) as [RateLimit, Bucket][];
    this.byAddress = new Map(entries.map(([limit, bucket]) => [limit, new BucketMap(bucket, MAX_ADDRESSES)]));
  }

  /** Takes one token from a bucket, or refuses and says when to retry. Returns a promise only when the database is asked. */
  charge(limit: RateLimit, { address, client_id }: { address: string; client_id: string | undefined }): void | Promise<void> {
    const isByAddress = this.limits[limit].by === 'address' || !this.db;
    const wait = this.secondsUntilFree(limit, isByAddress ? addressKey(address) : String(client_id));
    return typeof wait === 'number' ? refuseUntil(wait) : wait.then(refuseUntil);
  }

  /** Charges a user who must be at home here, in one statement. Returns false, and takes nothing, elsewhere or without that bucket. */
  async chargeAtHome(limit: RateLimit, key: string, user_id: string): Promise<boolean> {
    const bucket = this.limits[limit];
    if (bucket.by === 'address' || !this.db) return false;
    const wait = await this.inDatabase(this.db, bucket, { limit, owner: key, at_home: user_id });
    if (wait !== undefined) refuseUntil(wait);
    return wait !== undefined;
  }

  /** Takes one token from the bucket of a key and returns 0, or takes nothing and returns the seconds until one is free. */
  secondsUntilFree(limit: RateLimit, key: string): number | Promise<number> {
    const bucket = this.limits[limit];
    if (bucket.by !== 'address' && this.db) return this.inDatabase(this.db, bucket, { limit, owner: key }) as Promise<number>;
    return counted(limit, this.byAddress.get(limit)!.take(key, this.clock.now().getTime()));
  }

  /** Returns undefined when the user must be at home here and is not. */
  private async inDatabase(
    db: Db,
    { burst, per_second }: Bucket,
    { limit, owner, at_home }: { limit: RateLimit; owner: string; at_home?: string },
  ): Promise<number | undefined> {
    const now = this.clock.now();
    const key = `${limit} ${owner}`;
    const values = [key, burst, now, per_second];
    const found = await one<{ is_taken: boolean }>(
      db,
      at_home === undefined ? { ...TAKE, values } : { ...TAKE_AT_HOME, values: [...values, at_home] },
    );
    if (at_home !== undefined && !found) return undefined;
    if (found?.is_taken) return 0;
    const left = await one<{ tokens: number; at: Date }>(db, sql`select tokens, at from rate_bucket where key = ${key}`);
    const level = left ? { tokens: left.tokens, at: left.at.getTime() } : { tokens: 0, at: now.getTime() };
    return counted(limit, secondsUntilOne({ per_second }, filled({ burst, per_second }, level, now.getTime())));
  }
}

/** The end of an upsert: fills the bucket by the time that passed and takes one token, unless there is none. */
const FILL_AND_TAKE = `
  on conflict (key) do update
     set tokens = least($2, b.tokens + greatest(0, extract(epoch from excluded.at - b.at)) * $4::float8) - 1, at = excluded.at
   where least($2, b.tokens + greatest(0, extract(epoch from excluded.at - b.at)) * $4::float8) >= 1
  returning true as is_taken`;
const TAKE = {
  name: 'rate_bucket_take',
  text: `insert into rate_bucket as b (key, tokens, at) values ($1, $2::float8 - 1, $3) ${FILL_AND_TAKE}`,
};
/** Takes a token and checks the user's home in one statement. Every call of a user would need two statements otherwise. */
const TAKE_AT_HOME = {
  name: 'rate_bucket_take_at_home',
  text: `
  with at_home as (select from profile where user_id = $5 and home <> 'arriving'),
  taken as (insert into rate_bucket as b (key, tokens, at) select $1::text, $2::float8 - 1, $3::timestamptz from at_home ${FILL_AND_TAKE})
  select exists (select from taken) as is_taken from at_home`,
};

function counted(limit: RateLimit, wait: number): number {
  if (wait > 0) count(METRICS.rateLimited, { 'codase.limit': limit });
  return wait;
}

function refuseUntil(wait: number): void {
  if (wait > 0) throw new Refusal('rate_limit.exceeded').after(wait);
}
