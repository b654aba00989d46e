import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** What users have asked verification providers to verify, until it is used or its time is over. @gap D1-2.7 */
export class VerificationRequests1763164800331 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table verification_request (
        verification_id  text primary key,
        user_id          text not null references profile on delete cascade,
        field            text not null,
        field_type       text not null,
        field_salt       text not null,
        provider_id      text not null,
        value_as_of      timestamptz not null,
        created_at       timestamptz not null,
        expires_at       timestamptz not null
      )`);
    await db.query(`create index verification_request_of_user on verification_request (user_id)`);
    await db.query(`create index verification_request_expires on verification_request (expires_at)`);
  }
}
