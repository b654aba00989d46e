import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The order of a customer's own writes, and the changes of slots that other regions have not taken yet. @gap D1-6.1 */
export class CustomerWrites1763164800012 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // One row for each customer who has ever written. A write in one transaction locks the row; a write that asks other regions holds the
    // lease.
    await db.query(`
      create table customer_write (
        customer_user_id  text primary key references profile on delete cascade,
        last_at           timestamptz not null,
        lease_id          text,
        leased_until      timestamptz not null default '-infinity'
      )`);
    // The outbox: of the changes of one customer for one company the oldest is sent first. The request is JSON.
    await db.query(`
      create table slot_change (
        change_id         text primary key,
        customer_user_id  text not null references profile on delete cascade,
        company_user_id   text not null,
        region            text not null,
        operation         text not null,
        request           text not null,
        at                timestamptz not null,
        attempts          integer not null default 0,
        next_at           timestamptz not null
      )`);
    await db.query(`create index slot_change_of_customer on slot_change (customer_user_id, at, change_id)`);
    await db.query(`create index slot_change_due on slot_change (next_at)`);
  }
}
