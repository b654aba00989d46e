import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';
import { putOwnersInKeys, type OwnedKey } from '../owners-in-keys.ts';

const key = (table: string, name: string, index: string): OwnedKey => ({ table, owner: 'user_id', key: name, index });
const SESSION = key('session', 'session_id', 'session_of_user');
const SECOND_FACTOR = key('second_factor', 'factor_id', 'second_factor_with_owner');

/** A phone names a session of its own user, and a trusted browser the second factor of its own user; see `putOwnersInKeys`. */
export class OwnersInKeysOfTheFrontDoor1763164800201 extends ForwardMigration {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await putOwnersInKeys(
      db,
      [SESSION, SECOND_FACTOR],
      [
        { table: 'phone', column: 'session_id', to: SESSION },
        { table: 'trusted_browser', column: 'factor_id', to: SECOND_FACTOR },
      ],
    );
  }
}
