import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Objects of the store have owners of several kinds: values that customers share, and contents of documents. */
export class ObjectOwners1763164800051 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table stored_object add owner_kind text not null default 'shared_value'`);
  }
}
