import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Events that wait to be handed to the regions of companies that are customers of services here. Events have only ids. @gap D1-4.6 */
export class CustomerEvents1763164800049 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table customer_event_outbox (
        event_id     text primary key,
        user_id      text not null,
        event        json not null,
        created_at   timestamptz not null,
        traceparent  text,
        attempts     integer not null default 0,
        next_at      timestamptz not null
      )`);
    await db.query(`create index customer_event_outbox_due on customer_event_outbox (next_at)`);
  }
}
