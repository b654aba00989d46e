import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The class of the home lock, the same as `HOME_LOCK` in the capability `regions`. */
const HOME_LOCK = 0x686f6d65;

/**
 * The function hold_home of HoldHome1763164800084, which no longer waits for a step of a move. A step waits for the slowest transaction of
 * its user, and Postgres keeps everybody who comes after it waiting too: each of them with a database connection, until none is left for
 * other users. While a step has the lock or waits for it, the function takes no lock and returns a user who is at home as `settling`, so
 * that nothing is written and the caller repeats the call. It still waits for a user who arrives: nobody writes for that user, so each step
 * is short, and the caller may need its result.
 */
export class HomeWithoutWaiting1763164800089 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create or replace function hold_home(holder text, wait text default null) returns text language plpgsql volatile as $$
      declare
        state text;
      begin
        if wait is not null then
          perform set_config('lock_timeout', wait, true);
        end if;
        if not pg_try_advisory_xact_lock_shared(${HOME_LOCK}, hashtext(holder)) then
          select p.home into state from profile p where p.user_id = holder;
          if state is distinct from 'arriving' then
            return case state when 'here' then 'settling' else state end;
          end if;
          perform pg_advisory_xact_lock_shared(${HOME_LOCK}, hashtext(holder));
        end if;
        return (select p.home from profile p where p.user_id = holder);
      end $$`);
  }
}
