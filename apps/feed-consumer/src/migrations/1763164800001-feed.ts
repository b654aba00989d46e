import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The tables for the way of an event from a drain or a delivery to the stream: events that wait, events that were published, leases of
 * replicas, and what is known of each person.
 */
export class Feed1763164800001 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // draining_since is the note of a drain: it is written before the drain, and cleared when the events are stored. A note that is
    // still there when the next drain begins means that events may have been lost, and starts a comparison with the platform. This is
    // not needed when the platform waits for acknowledgements: the next drain acknowledges drain_lease, and events that were not
    // acknowledged come again.
    await db.query(`
      create table channel (
        service           text primary key,
        draining_since    timestamptz,
        drain_lease       text,
        reconcile         text check (reconcile in ('baseline', 'compare')),
        reconcile_cursor  text,
        run               integer not null default 1
      )`);

    // An event is stored here first, and leaves when the stream holds it. The column event is null when a delivery could not be read.
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
    // Published events are kept for a while, so that repeats are recognised and a range can be sent again.
    await db.query(`create table published (seq bigint not null, ${columns}, primary key (service, message_id))`);
    await db.query(`create index published_by_time on published (service, received_at, seq)`);
    await db.query(`create index published_by_age on published (received_at)`);

    // Which replica has which lease. The epoch grows each time the owner changes, so that a late write of a former owner is refused.
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

    // What was seen of each person, as digests: they show that something changed, and contain no readable value.
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
