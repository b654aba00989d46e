import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Messages between services and their customers, sealed to the reader. A message ends with its connection. @spec D1-4.2 */
export class Messages1763164800044 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // The customer may live in another region: no reference to a profile. Two messages of a connection never have the same time, so the
    // times give their order.
    await db.query(`
      create table message (
        message_id        text primary key,
        company_user_id   text not null references profile on delete cascade,
        service_id        text not null references service on delete cascade,
        connection_id     text not null references connection on delete cascade,
        customer_user_id  text not null,
        sender            text not null check (sender in ('person', 'company')),
        body              text not null,
        repeat_hash       bytea not null,
        created_at        timestamptz not null,
        read_at           timestamptz,
        unique (connection_id, created_at),
        unique (connection_id, sender, repeat_hash)
      )`);
    await db.query(`create index message_of_company on message (company_user_id, message_id)`);
    await db.query(`create index message_age on message (created_at)`);
    await db.query(
      `create index message_unread_of_service on message (service_id, connection_id) where sender = 'person' and read_at is null`,
    );
    await db.query(`create index message_unread_of_customer on message (customer_user_id) where sender = 'company' and read_at is null`);
  }
}
