import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';
import { listKeys } from '../list-keys.ts';

/** The keys of services, for the transparency log. */
export class ServiceKeys1763164800312 extends ForwardMigration {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await listKeys(db, { kind: 'service', table: 'service', owner: 'service_id', key: 'public_key', form: 'spki' });
  }
}
