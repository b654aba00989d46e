import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';
import { makeAuditTable } from './audit-table.ts';

/** The audit of this database: the same at the front door and in every region. */
export class Audit1763164800020 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await makeAuditTable(db);
  }
}
