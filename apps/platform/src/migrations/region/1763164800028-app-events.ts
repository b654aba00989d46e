import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * App events for the phones of the persons at home here, and app events that wait to be handed to other regions. Events have only ids.
 * @gap D1-1
 */
export class AppEvents1763164800028 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // The events of a person are numbered without gaps. A transaction that adds an event locks this row, so that numbers are committed in
    // their order and a reader sees what it has missed. Another log_id means that the numbers began again.
    await db.query(`
      create table app_event_log (
        person_user_id  text primary key references profile on delete cascade,
        log_id          text not null,
        last_seq        bigint not null
      )`);
    await db.query(`
      create table app_event (
        person_user_id   text not null references app_event_log on delete cascade,
        seq              bigint not null,
        event_id         text not null unique,
        company_user_id  text not null,
        kind             text not null,
        object_id        text not null,
        created_at       timestamptz not null,
        traceparent      text,
        primary key (person_user_id, seq)
      )`);
    await db.query(`create index app_event_age on app_event (created_at)`);
    await db.query(`
      create table app_event_outbox (
        event_id         text primary key,
        person_user_id   text not null,
        company_user_id  text not null,
        kind             text not null,
        object_id        text not null,
        created_at       timestamptz not null,
        traceparent      text,
        attempts         integer not null default 0,
        next_at          timestamptz not null
      )`);
    await db.query(`create index app_event_outbox_due on app_event_outbox (next_at)`);
  }
}
