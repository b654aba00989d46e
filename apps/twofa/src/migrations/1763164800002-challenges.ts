import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The logins that internal services ask about, in place of the outcomes that the feed brought. */
export class Challenges1763164800002 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // Neither the context nor the digits are stored: a keyed digest of the request stands for the context, and only the asker knows the
    // digits. poll_at is by the clock of the app, claimed_until is about processes and by the database's own clock.
    await db.query(`
      create table challenge (
        id                 bigint generated always as identity primary key,
        service            text not null,
        asker              text not null,
        platform_key       text not null,
        body_digest        text not null,
        state              text not null check (state in
                             ('requested', 'pending', 'approved', 'denied', 'expired', 'revoked', 'lost', 'failed')),
        challenge_id       text,
        requested_at       timestamptz not null,
        expires_at         timestamptz,
        completed_at       timestamptz,
        polls              integer not null default 0,
        poll_at            timestamptz,
        claimed_until      timestamptz,
        traceparent        text,
        event_status       text,
        event_traceparent  text,
        published          boolean not null default false,
        unique (service, platform_key),
        unique (service, challenge_id),
        check ((state = 'requested') = (challenge_id is null)),
        check ((state in ('requested', 'pending')) = (completed_at is null))
      )`);
    await db.query(`create index challenge_to_poll on challenge (poll_at) where state = 'pending'`);
    await db.query(`create index challenge_to_close on challenge (expires_at) where state = 'pending'`);
    await db.query(`create index challenge_to_publish on challenge (id) where completed_at is not null and not published`);
    await db.query(`create index challenge_by_age on challenge (requested_at)`);
    await db.query(`drop table outcome`);
  }
}
