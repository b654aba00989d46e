import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** What the delivery knows of a webhook besides its health, and which process delivers for which webhooks. @spec D1-3.2 @spec D1-6.3 */
export class Delivery1763164800007 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table webhook add next_probe_at timestamptz, add alerted_at timestamptz`);
    await db.query(`create index webhook_to_probe on webhook (next_probe_at) where health = 'bad'`);
    // Webhooks are divided into 32 shards. One process at a time delivers for a shard, and holds a lease on it.
    await db.query(`
      create function webhook_shard(webhook_id text) returns integer language sql immutable parallel safe
      return get_byte(sha256(convert_to(webhook_id, 'UTF8')), 0) % 32`);
    await db.query(`
      create table delivery_shard (
        shard        integer primary key,
        owner        text,
        lease_until  timestamptz not null
      )`);
    await db.query(`insert into delivery_shard (shard, lease_until) select shard, '-infinity' from generate_series(0, 31) shard`);
    await db.query(`
      create table delivery_process (
        owner        text primary key,
        alive_until  timestamptz not null
      )`);
  }
}
