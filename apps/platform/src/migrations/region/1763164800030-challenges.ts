import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Enrolments, by which persons may be asked to approve the logins of a service, and challenges. Both are stored in the region of the
 * company. The context and the digits of a challenge are only in its row, and only while the challenge is open. @spec D1-2.10 @spec D1-3.1
 */
export class Challenges1763164800030 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // The person may live in another region: no reference to a profile. An enrolment ends with its connection.
    await db.query(`
      create table twofa_enrolment (
        enrolment_id     text primary key,
        company_user_id  text not null references profile on delete cascade,
        service_id       text not null references service on delete cascade,
        connection_id    text not null references connection on delete cascade,
        person_user_id   text not null,
        share_code       text not null,
        enrolled_at      timestamptz not null,
        unique (service_id, person_user_id)
      )`);
    await db.query(`create index twofa_enrolment_of_company on twofa_enrolment (company_user_id, enrolment_id)`);
    await db.query(`create index twofa_enrolment_by_code on twofa_enrolment (service_id, share_code)`);
    await db.query(`create index twofa_enrolment_of_person on twofa_enrolment (person_user_id)`);
    await db.query(`create index twofa_enrolment_of_connection on twofa_enrolment (connection_id)`);

    // A challenge outlives its connection and its enrolment: the client that raised it can still read that it was revoked.
    await db.query(`
      create table challenge (
        challenge_id     text primary key,
        company_user_id  text not null references profile on delete cascade,
        service_id       text not null references service on delete cascade,
        client_id        text not null,
        connection_id    text not null,
        person_user_id   text not null,
        share_code       text not null,
        key_hash         text,
        body_hash        text not null,
        status           text not null check (status in ('pending', 'approved', 'denied', 'expired', 'revoked')),
        context          text,
        digits           text,
        created_at       timestamptz not null,
        expires_at       timestamptz not null,
        completed_at     timestamptz,
        consumed_at      timestamptz,
        unique (service_id, key_hash),
        check ((status = 'pending') = (completed_at is null)),
        check ((status = 'pending') = (context is not null)),
        check (status = 'pending' or digits is null),
        check (consumed_at is null or completed_at is not null)
      )`);
    await db.query(`create index challenge_of_company on challenge (company_user_id, challenge_id)`);
    await db.query(`create index challenge_of_person on challenge (person_user_id, created_at)`);
    await db.query(`create index challenge_pending on challenge (expires_at) where status = 'pending'`);
    await db.query(`create index challenge_of_connection on challenge (connection_id) where status = 'pending'`);
    await db.query(`create index challenge_of_service on challenge (service_id) where status = 'pending'`);
    await db.query(`create index challenge_completed on challenge (completed_at) where completed_at is not null`);
  }
}
