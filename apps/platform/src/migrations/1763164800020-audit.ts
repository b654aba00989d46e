import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropAuditTable, makeAuditTable } from './audit-table.ts';

/** The audit of this database: the same at the front door and in every region. */
export class Audit1763164800020 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await makeAuditTable(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await dropAuditTable(db);
  }
}
