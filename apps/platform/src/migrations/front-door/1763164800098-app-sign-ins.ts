import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Sign-ins with apps: what waits for a phone or for the exchange of its code, and the ids of persons for companies. @spec D1-4.6 */
export class AppSignIns1763164800098 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // The claims are those of the moment when the sign-in began. Values are sealed to seal_key. Its private half is encrypted under a key
    // made from the code, of which only a hash is stored. The page in the browser and the phone both show the digits.
    await db.query(`
      create table app_sign_in (
        session_id          text primary key references session on delete cascade,
        code_hash           text not null unique,
        redirect_uri        text not null,
        state               text,
        nonce               text,
        claims              jsonb not null,
        claims_delivery     text not null,
        digits              text not null,
        status              text not null check (status in ('waiting', 'approved', 'denied', 'done')),
        seal_key            text not null,
        sealed_private_key  text not null,
        sealed_values       text,
        created_at          timestamptz not null,
        expires_at          timestamptz not null
      )`);
    await db.query(`create index app_sign_in_expiry on app_sign_in (expires_at)`);
    // A random id of a person for each company, so that two companies cannot tell that they have the same person.
    await db.query(`
      create table app_subject (
        company_user_id  text not null references account on delete cascade,
        user_id          text not null references account on delete cascade,
        subject          text not null unique,
        primary key (company_user_id, user_id)
      )`);
    await db.query(`create index app_subject_of_user on app_subject (user_id)`);
  }
}
