import { FIRST_PARTY_PATTERNS } from '@codase/contracts';
import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Accounts that can sign in, the paths that clients may call, and the sessions, codes and tokens of sign-ins.
 * @spec D1-2.1 @spec D1-4.1 @spec D1-5
 */
export class AccountsAndGrants1763164800003 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // Public keys are never replaced, so the account may hold a copy.
    await db.query(`
      alter table account
        add password_hash  text,
        add share_code     text unique,
        add public_key     text,
        add level          text not null default 'free' check (level in ('free', 'basic', 'pro', 'business'))`);
    // A profile that its region has not confirmed yet.
    await db.query(`
      create table profile_to_hand_over (
        user_id     text primary key references account on delete cascade,
        profile     jsonb not null,
        created_at  timestamptz not null
      )`);

    await db.query(`
      alter table client
        add name           text not null default '',
        add purpose        text,
        add capabilities   text[] not null default '{}',
        add redirect_uris  text[] not null default '{}',
        alter company_user_id drop not null,
        alter region drop not null,
        alter secret_hash drop not null,
        drop constraint client_kind_check,
        add check (kind in ('service', 'account', 'portal', 'person')),
        add check ((kind in ('service', 'account')) = (company_user_id is not null)),
        add check ((company_user_id is null) = (region is null)),
        add check ((company_user_id is null) = (secret_hash is null))`);
    await db.query(`create unique index client_purpose on client (company_user_id, purpose) where purpose is not null`);
    await db.query(`create index client_of_company on client (company_user_id, created_at, client_id)`);
    await db.query(`
      create table client_pattern (
        client_id  text not null references client on delete cascade,
        pattern    text not null,
        primary key (client_id, pattern)
      )`);
    await this.addFirstParty(db);

    // A session is one sign-in with all its tokens: ending the session ends every one of them. It is also over when the epoch of its client
    // was raised.
    await db.query(`
      create table session (
        session_id  text primary key,
        client_id   text not null references client on delete cascade,
        user_id     text not null references account on delete cascade,
        epoch       integer not null,
        created_at  timestamptz not null,
        ended_at    timestamptz
      )`);
    await db.query(`create index session_of_client on session (client_id)`);
    await db.query(`create index session_of_user on session (user_id)`);
    await db.query(`create index session_age on session (created_at)`);
    await db.query(`
      create table authorization_code (
        code_hash       text primary key,
        session_id      text not null references session on delete cascade,
        redirect_uri    text not null,
        code_challenge  text not null,
        expires_at      timestamptz not null,
        used_at         timestamptz
      )`);
    await db.query(`
      create table refresh_token (
        token_hash  text primary key,
        session_id  text not null references session on delete cascade,
        expires_at  timestamptz not null,
        used_at     timestamptz
      )`);
    await db.query(`create index refresh_token_of_session on refresh_token (session_id)`);
    await db.query(`create index authorization_code_of_session on authorization_code (session_id)`);
    await db.query(`create index refresh_token_expiry on refresh_token (expires_at)`);
    await db.query(`create index authorization_code_expiry on authorization_code (expires_at)`);

    // Persons who may be asked to approve logins, and the results of detached enrolments. @spec D1-4.5
    await db.query(`
      create table enrolment (
        service_id      text not null,
        person_user_id  text not null references account on delete cascade,
        created_at      timestamptz not null,
        primary key (service_id, person_user_id)
      )`);
    await db.query(`
      create table detached_result (
        client_id   text not null references client on delete cascade,
        state_hash  text not null,
        outcome     text not null check (outcome in ('waiting', 'enrolled', 'denied')),
        expires_at  timestamptz not null,
        primary key (client_id, state_hash)
      )`);
    await db.query(`create index detached_result_expiry on detached_result (expires_at)`);

    await db.query(`
      create table region_mode (
        region         text primary key,
        writes_paused  boolean not null default false,
        out_of_order   boolean not null default false
      )`);
    // Companies that are moving to another region. Every attempt at a step takes a turn of its own, a number higher than all before it.
    await db.query(`create sequence region_move_turn as integer`);
    await db.query(`
      create table region_move (
        user_id      text primary key references account on delete cascade,
        from_region  text not null,
        to_region    text not null,
        step         text not null,
        attempts     integer not null default 0,
        turn         integer not null default 0,
        started_at   timestamptz not null,
        due_at       timestamptz not null
      )`);
    await db.query(`
      create table field_type (
        type  text primary key,
        row   jsonb not null
      )`);
  }

  /** Adds the first-party clients. Their whitelists are rows like those of any other client. @gap D1-5 */
  private async addFirstParty(db: QueryRunner): Promise<void> {
    for (const [client_id, patterns] of Object.entries(FIRST_PARTY_PATTERNS)) {
      const kind = client_id.replace('app_', '');
      await db.query(`insert into client (client_id, kind, name, epoch, created_at) values ($1, $2, $3, 1, now())`, [
        client_id,
        kind,
        kind === 'portal' ? 'Portal' : 'Phone',
      ]);
      await db.query(`insert into client_pattern select $1, unnest($2::text[])`, [client_id, [...patterns]]);
    }
  }
}
