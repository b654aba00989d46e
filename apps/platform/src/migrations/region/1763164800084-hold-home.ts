import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The class of the home lock, the same as `HOME_LOCK` in the capability `regions`. */
const HOME_LOCK = 0x686f6d65;

/**
 * The function hold_home takes the shared home lock of a user, waits for a move that holds the lock, and returns the home state of the user
 * in this region afterwards: each statement of a volatile function sees what was committed before it. It returns null when the region holds
 * nothing of the user. `wait` limits every wait for a lock in the rest of the transaction.
 *
 * The function has_deleted_account returns in the same way whether one of some accounts was deleted, for a statement that waits for a lock
 * before it asks.
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
