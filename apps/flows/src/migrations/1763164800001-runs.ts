import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The runs that the suite follows, and the events of their turns. */
export class Runs1763164800001 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // No answer is stored in the clear: `submission` is what the platform gets, sealed for every party. look_at, open_at and the deadlines
    // are times of the injected clock. claimed_until and held_until concern processes, and are times of the database's own clock.
    await db.query(`
      create table run (
        service        text not null,
        flow_run_id    text not null,
        flow_id        text,
        state          text not null check (state in ('watched', 'open', 'taken', 'answered', 'parked', 'ended')),
        status         text not null,
        node           text,
        look_at        timestamptz,
        heard          integer not null default 0,
        claimed_until  timestamptz,
        failures       integer not null default 0,
        opened_at      timestamptz,
        open_at        timestamptz,
        attempts       integer not null default 0,
        error_key      text,
        hold           uuid,
        holder         text,
        held_by        text,
        held_until     timestamptz,
        submission     text,
        remind_at      timestamptz,
        reminders      integer not null default 0,
        overdue_at     timestamptz,
        traceparent    text,
        changed_at     timestamptz not null,
        primary key (service, flow_run_id),
        check ((state = 'taken') <= (hold is not null and held_until is not null)),
        check ((state = 'answered') = (submission is not null)),
        check ((state in ('open', 'taken', 'answered', 'parked')) <= (node is not null and opened_at is not null and flow_id is not null))
      )`);
    await db.query(`create index run_to_look_at on run (look_at) where look_at is not null`);
    await db.query(
      `create index run_turns on run (service, opened_at, flow_run_id) where state in ('open', 'taken', 'answered', 'parked')`,
    );
    await db.query(`create index run_held on run (held_until) where state = 'taken'`);
    await db.query(`create index run_to_remind_of on run (remind_at) where state in ('open', 'taken', 'parked')`);
    await db.query(`create index run_overdue on run (overdue_at) where state in ('open', 'taken', 'parked')`);
    await db.query(`create index run_by_age on run (changed_at) where state = 'ended'`);
    // An outbox: one transaction writes the event and the change that the event is about.
    await db.query(`
      create table turn_event (
        id           bigint generated always as identity primary key,
        service      text not null,
        event        text not null,
        turn         text not null,
        message      jsonb not null,
        traceparent  text
      )`);
  }
}
