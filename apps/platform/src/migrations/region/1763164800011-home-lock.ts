import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Shares the home locks of those users who are at home and whom no move holds, until the transaction ends. The locks come first and the
 * states are read in a second statement: a function that is volatile gives each of its statements a snapshot of its own, so that a
 * statement which calls it sees what a move did a moment before.
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
