import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Profiles of the users who live in the region, and the services of its companies. Only public keys are stored. @spec D1-2.4 */
export class ProfilesAndServices1763164800002 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table profile (
        user_id       text primary key,
        type          text not null check (type in ('person', 'company')),
        display_name  text not null,
        language      text not null,
        share_code    text not null unique,
        public_key    text not null,
        created_at    timestamptz not null
      )`);
    await db.query(`
      create table service (
        service_id       text primary key,
        company_user_id  text not null references profile,
        name             text not null,
        share_code       text not null,
        public_key       text not null,
        created_at       timestamptz not null,
        unique (company_user_id, share_code)
      )`);
  }
}
