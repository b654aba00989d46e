import { ForwardMigration } from '@cds/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Pieces of documents are ciphertext, or files as base64: to try to compress them costs more than all else of storing them. */
export class DocumentPieces1763164800056 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table document_piece alter column piece set storage external`);
  }
}
