import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The function hold_services keeps services from being deleted until the transaction ends, and returns the services that it holds. It does
 * not wait for a transaction that is changing a service. Locking a row needs the right to change it, which the delivery does not have, so
 * the function runs with the rights of its owner.
 */
export class HoldServices1763164800029 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create function hold_services(ids text[]) returns setof text language sql volatile rows 10
        security definer set search_path = public, pg_temp
        as 'select service_id from service where service_id = any (ids) for key share skip locked'`);
  }
}
