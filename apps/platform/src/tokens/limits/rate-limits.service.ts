import { Inject, Injectable, Optional } from '@nestjs/common';
import { Refusal, type Bucket, type RateLimit } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { one, prepared, sql, type Db } from '@cds/runtime/db';
import { addressKey } from '@cds/runtime/http';
import { count } from '@cds/runtime/telemetry';
import { REGION_DB } from '../../databases.ts';
import { BucketMap } from './bucket-map.ts';
import { filled, secondsUntilOne } from './token-bucket.ts';
import { METRICS } from '../metrics.ts';

export type Limits = Record<RateLimit, Bucket>;
export const LIMITS = Symbol('Limits');

/** Addresses remembered at once for each limit. */
const MOST_ADDRESSES = 100_000;

/**
 * Token buckets. Those by address are kept in memory, since the token endpoint must stay cheap; those by client are one statement in the
 * region's database, so that they hold across replicas. An IPv6 address counts by its network. @spec D1-5.4 @gap D1-8
 */
@Injectable()
export class RateLimits {
  /** A map for each limit, so that a flood at one of them makes nobody's bucket at another start anew. */
  private readonly byAddress: ReadonlyMap<RateLimit, BucketMap>;

  constructor(
    @Inject(LIMITS) private readonly limits: Limits,
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() @Inject(REGION_DB) private readonly db: Db | undefined,
  ) {
    const entries = Object.entries(limits) as [RateLimit, Bucket][];
    this.byAddress = new Map(entries.map(([limit, bucket]) => [limit, new BucketMap(bucket, MOST_ADDRESSES)]));
  }

  /** Takes one from a bucket, or refuses and says when to come again; by a promise only where the database is asked. */
  charge(limit: RateLimit, { address, client_id }: { address: string; client_id: string | undefined }): void | Promise<void> {
    const isByAddress = this.limits[limit].by === 'address' || !this.db;
    const wait = this.secondsUntilFree(limit, isByAddress ? addressKey(address) : String(client_id));
    return typeof wait === 'number' ? refuseUntil(wait) : wait.then(refuseUntil);
  }

  /** Takes one from the bucket of a key and answers 0, or takes nothing and answers when there is one. */
  secondsUntilFree(limit: RateLimit, key: string): number | Promise<number> {
    const bucket = this.limits[limit];
    if (bucket.by !== 'address' && this.db) return this.inDatabase(this.db, bucket, limit, key);
    return counted(limit, this.byAddress.get(limit)!.take(key, this.clock.now().getTime()));
  }

  /** One upsert: fills by the time that passed and takes one, unless there is none. */
  private async inDatabase(db: Db, { burst, per_second }: Bucket, limit: RateLimit, owner: string): Promise<number> {
    const now = this.clock.now();
    const key = `${limit} ${owner}`;
    const taken = await one(
      db,
      prepared(
        'rate_bucket_take',
        sql`
        insert into rate_bucket as b (key, tokens, at) values (${key}, ${burst - 1}, ${now})
        on conflict (key) do update
           set tokens = least(${burst}, b.tokens + greatest(0, extract(epoch from excluded.at - b.at)) * ${per_second}::float8) - 1,
             at = excluded.at
         where least(${burst}, b.tokens + greatest(0, extract(epoch from excluded.at - b.at)) * ${per_second}::float8) >= 1
        returning key`,
      ),
    );
    if (taken) return 0;
    const left = await one<{ tokens: number; at: Date }>(db, sql`select tokens, at from rate_bucket where key = ${key}`);
    const level = left ? { tokens: left.tokens, at: left.at.getTime() } : { tokens: 0, at: now.getTime() };
    return counted(limit, secondsUntilOne({ per_second }, filled({ burst, per_second }, level, now.getTime())));
  }
}

function counted(limit: RateLimit, wait: number): number {
  if (wait > 0) count(METRICS.rateLimited, { 'cds.limit': limit });
  return wait;
}

function refuseUntil(wait: number): void {
  if (wait > 0) throw new Refusal('rate_limit.exceeded').after(wait);
}
