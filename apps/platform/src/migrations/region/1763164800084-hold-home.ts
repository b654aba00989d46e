import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The class of the home lock: see HOME_LOCK. */
const HOME_LOCK = 0x686f6d65;

/**
 * Shares the home lock of a user, waiting for a move, and answers what the user is to this region afterwards: each statement of a volatile
 * function sees what was committed before it. Null where the region holds nothing of the user. `wait` bounds every wait for a lock that the
 * transaction has from then on.
 *
 * Whether one of some accounts was deleted, likewise, for a statement that waits for a lock before it asks.
 */
export class HoldHome1763164800084 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create function hold_home(holder text, wait text default null) returns text language plpgsql volatile as $$
      begin
        if wait is not null then
          perform set_config('lock_timeout', wait, true);
        end if;
        perform pg_advisory_xact_lock_shared(${HOME_LOCK}, hashtext(holder));
        return (select p.home from profile p where p.user_id = holder);
      end $$`);
    await db.query(`
      create function has_deleted_account(users text[]) returns boolean language plpgsql volatile as $$
      begin
        return exists (select from deleted_account d where d.user_id = any (users));
      end $$`);
  }
}
