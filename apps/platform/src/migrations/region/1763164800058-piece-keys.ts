import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The key of pieces that came in the clear, written by the document that takes them; null where they are as they came. */
export class PieceKeys1763164800058 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table document_content add column piece_key bytea check (length(piece_key) = 32)`);
  }
}
