import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** From the drain, or the delivery, to the stream: what is on its way, what went, who does what, and what is known of each person. */
export class Feed1763164800001 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // draining_since is the note: it is written before a drain and cleared with the store. One that still stands when the next drain
    // begins tells that events may have been lost in between, and starts a comparison with what the platform holds. Not where the
    // platform waits for an acknowledgement: drain_lease is what the next drain acknowledges, and what it does not comes again.
    await db.query(`
      create table channel (
        service           text primary key,
        draining_since    timestamptz,
        drain_lease       text,
        reconcile         text check (reconcile in ('baseline', 'compare')),
        reconcile_cursor  text,
        run               integer not null default 1
      )`);

    // Stored before anything else happens to it; leaves when the stream holds it. event is null where a delivery could not be read.
    const columns = `
        service      text not null,
        message_id   text not null,
        shard        smallint not null,
        event_id     text not null,
        event        text,
        at           timestamptz not null,
        body         bytea not null,
        mark         text check (mark in ('reconciled', 'resent')),
        traceparent  text,
        received_at  timestamptz not null`;
    await db.query(`create table spool (seq bigint generated always as identity primary key, ${columns}, unique (service, message_id))`);
    await db.query(`create index spool_of_shard on spool (shard, seq)`);
    // Kept for a while: a repeat is known by it, and a range of it can be sent again.
    await db.query(`create table published (seq bigint not null, ${columns}, primary key (service, message_id))`);
    await db.query(`create index published_by_time on published (service, received_at, seq)`);
    await db.query(`create index published_by_age on published (received_at)`);

    // Who does what among the replicas. The epoch grows with every change of hands, so that a former owner's late write is refused.
    await db.query(`
      create table replica (
        name   text not null,
        kind   text not null,
        until  timestamptz not null,
        primary key (kind, name)
      )`);
    await db.query(`
      create table lease (
        kind   text not null,
        name   text not null,
        owner  text,
        epoch  bigint not null default 0,
        until  timestamptz not null,
        primary key (kind, name)
      )`);

    // What was seen of each person, in digests: enough to tell what changed, nothing to read.
    await db.query(`
      create table known_person (
        service         text not null,
        person_user_id  text not null,
        share_code      text,
        customer_type   text not null,
        slots           jsonb not null,
        run             integer not null,
        primary key (service, person_user_id)
      )`);
  }
}
