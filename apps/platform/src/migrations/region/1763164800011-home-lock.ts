import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The function hold_homes takes the shared home locks of the users who are at home and whom no move holds, until the transaction ends, and
 * returns these users. It takes the locks first and reads the states in a second statement: each statement of a volatile function has a
 * snapshot of its own, so that the statement which calls it sees what a move did a moment before.
 */
export class HomeLock1763164800011 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create function hold_homes(users text[]) returns setof text language plpgsql volatile rows 10 as $$
      declare
        held text[];
      begin
        select array_agg(u) into held from unnest(users) u where pg_try_advisory_xact_lock_shared(${0x686f6d65}, hashtext(u));
        return query select p.user_id from profile p where p.user_id = any (held) and p.home = 'here';
      end $$`);
  }
}
