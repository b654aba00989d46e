import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Three repairs: parked messages no longer hold up events, an event is not sent again after a newer one has replaced it, and a comparison
 * knows of which differences it cannot be sure.
 */
export class FeedRepairs1763164800002 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // Events and unreadable messages go to two different streams, and neither waits for the other.
    await db.query(`drop index spool_of_shard`);
    await db.query(`create index spool_of_shard on spool (shard, seq) where event is not null`);
    await db.query(`create index spool_unreadable on spool (shard, seq) where event is null`);

    // state_key names what the event is the state of. A newer event with the same key, or with the key of the connection, replaces it.
    await db.query(`alter table spool add column state_key text`);
    await db.query(`alter table published add column state_key text`);
    await db.query(`create index spool_of_state on spool (service, state_key, seq) where state_key is not null`);
    await db.query(`create index published_of_state on published (service, state_key, seq) where state_key is not null`);

    // drained_at is when the last stored drain began. unopened_since is the time since which no delivery could be decrypted.
    await db.query(`alter table channel add column drained_at timestamptz, add column unopened_since timestamptz`);

    // A person whom the platform has not listed yet may have slots that no event announced. A list contains all members of a slot, an
    // event only some of them.
    await db.query(`alter table known_person add column listed boolean not null default true`);
    await db.query(`
      update known_person set slots =
        (select coalesce(jsonb_object_agg(slug, jsonb_build_object('content', digest)), '{}')
           from jsonb_each(slots) as slot (slug, digest))`);
  }
}
