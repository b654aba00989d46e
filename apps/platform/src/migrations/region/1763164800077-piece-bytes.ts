import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

const TABLES = ['document_piece', 'shared_file', 'flow_run_piece'];

/**
 * Pieces of files as bytes: base64 is stored decoded, which takes a quarter less. A row has its text, as earlier releases write it, or
 * bytes and their encoding in that text.
 */
export class PieceBytes1763164800077 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await db.query(`
        alter table ${table}
          alter column piece drop not null,
          add column bytes bytea,
          add column encoding text check (encoding in ('utf8', 'base64')),
          add constraint ${table}_form check ((piece is null) <> (bytes is null) and (bytes is null) = (encoding is null)) not valid,
          alter column bytes set storage external`);
    }
  }
}
