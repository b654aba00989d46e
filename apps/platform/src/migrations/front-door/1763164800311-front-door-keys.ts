import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';
import { listKeys } from '../list-keys.ts';

/** The keys of accounts, of the devices of persons, and of seals, for the transparency log. */
export class FrontDoorKeys1763164800311 extends ForwardMigration {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await listKeys(db, { kind: 'account', table: 'account', owner: 'share_code', key: 'public_key', form: 'spki' });
    await listKeys(db, { kind: 'device', table: 'device', owner: 'user_id', key: 'jkt', form: 'thumbprint' });
    await listKeys(db, { kind: 'seal', table: 'known_seal_certificate', owner: 'region', key: 'certificate_id', form: 'sha256' });
  }
}
