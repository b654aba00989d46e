import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Lets users who are signed in read what companies delegate to them. @gap D1-5.8 */
export class DelegationPatterns1763164800102 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `insert into client_pattern (client_id, pattern) values ('app_portal', '/api/delegations*'), ('app_person', '/api/delegations*')
       on conflict do nothing`,
    );
  }
}
