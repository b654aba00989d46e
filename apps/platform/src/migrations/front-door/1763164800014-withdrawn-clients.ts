import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Clients and services whose registration was withdrawn. A late request to register one of them finds its id here. @gap D1-5.8 */
export class WithdrawnClients1763164800014 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table withdrawn_client (
        id            text primary key,
        withdrawn_at  timestamptz not null
      )`);
    await db.query(`create index withdrawn_client_age on withdrawn_client (withdrawn_at)`);
  }
}
