import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Keeps services from being deleted until the transaction ends, without waiting for whoever changes one; answers which it holds. To lock a
 * row one must be allowed to change it, and the delivery is not: the owner lends it this.
 */
export class HoldServices1763164800029 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create function hold_services(ids text[]) returns setof text language sql volatile rows 10
        security definer set search_path = public, pg_temp
        as 'select service_id from service where service_id = any (ids) for key share skip locked'`);
  }
}
