import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The ids of deleted accounts, wherever they lived. Every region knows them, so that nothing of a deleted account comes back with a late
 * request or with a company that moves here. @gap D1-5.8
 */
export class DeletedAccounts1763164800034 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table deleted_account (
        user_id     text primary key,
        deleted_at  timestamptz not null
      )`);
  }
}
