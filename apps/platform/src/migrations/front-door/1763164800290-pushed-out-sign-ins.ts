import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** A sign-in that newer ones push out is not one that the person denied: the browser says which it was. @gap D1-4.6 */
export class PushedOutSignIns1763164800290 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table app_sign_in
        drop constraint app_sign_in_status_check,
        add constraint app_sign_in_status_check check (status in ('waiting', 'approved', 'denied', 'pushed_out', 'done'))`);
  }
}
