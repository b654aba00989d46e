import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Pieces of documents are ciphertext, or files as base64: trying to compress them costs more than everything else in storing them. */
export class DocumentPieces1763164800056 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table document_piece alter column piece set storage external`);
  }
}
