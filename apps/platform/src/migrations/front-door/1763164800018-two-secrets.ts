import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** While the secret of a client is replaced, the old secret may stay valid until a given time. @gap D1-4.6 */
export class TwoSecrets1763164800018 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table client
        add old_secret_hash   text,
        add old_secret_until  timestamptz,
        add check ((old_secret_hash is null) = (old_secret_until is null))`);
  }
}
