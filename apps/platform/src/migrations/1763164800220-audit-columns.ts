import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';
import { boundAuditRows } from './audit-table.ts';

/** Bounds what the app can write into the audit of this database: the same at the front door and in every region. */
export class AuditColumns1763164800220 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await boundAuditRows(db);
  }
}
