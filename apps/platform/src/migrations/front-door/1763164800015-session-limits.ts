import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Accounts and clients that an operator disabled; when a session was last used; the salt that gives the successor of a refresh token. */
export class SessionLimits1763164800015 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table account add disabled_at timestamptz`);
    await db.query(`alter table client add disabled_at timestamptz`);
    await db.query(`alter table session add last_used_at timestamptz`);
    // The successor is derived from the used token and this salt: neither the database nor the used token alone gives it.
    await db.query(`alter table refresh_token add successor_hash text, add successor_salt text`);
    await db.query(
      `insert into client_pattern (client_id, pattern) values ('app_person', '/api/account/sessions*') on conflict do nothing`,
    );
  }
}
