import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Whether the deliveries of a webhook carry the headers of Standard Webhooks: not unless its owner asks for them. @gap D1-6.4 */
export class StandardWebhooks1763164800250 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table webhook add column standard_webhooks boolean not null default false`);
  }
}
