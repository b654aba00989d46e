import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The key that encrypts the pieces of a plaintext payload, written when a document takes them; null when the pieces are stored as they were
 * received.
 */
export class PieceKeys1763164800058 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table document_content add column piece_key bytea check (length(piece_key) = 32)`);
  }
}
