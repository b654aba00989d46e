import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** What parks holds up nothing else, what is sent again is never older than what stands, and a comparison knows what it cannot know. */
export class FeedRepairs1763164800002 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // Events and what could not be read go to two streams, and neither waits for the other.
    await db.query(`drop index spool_of_shard`);
    await db.query(`create index spool_of_shard on spool (shard, seq) where event is not null`);
    await db.query(`create index spool_unreadable on spool (shard, seq) where event is null`);

    // What an event tells the state of: a newer one with the same key, or with that of the whole connection, replaces it.
    await db.query(`alter table spool add column state_key text`);
    await db.query(`alter table published add column state_key text`);
    await db.query(`create index spool_of_state on spool (service, state_key, seq) where state_key is not null`);
    await db.query(`create index published_of_state on published (service, state_key, seq) where state_key is not null`);

    // drained_at is when the drain began that was stored last; unopened_since is since when no delivery could be unwrapped.
    await db.query(`alter table channel add column drained_at timestamptz, add column unopened_since timestamptz`);

    // A person the platform has not listed yet may have slots that no event announced. A list has all of a slot, an event a part.
    await db.query(`alter table known_person add column listed boolean not null default true`);
    await db.query(`
      update known_person set slots =
        (select coalesce(jsonb_object_agg(slug, jsonb_build_object('content', digest)), '{}')
           from jsonb_each(slots) as slot (slug, digest))`);
  }
}
