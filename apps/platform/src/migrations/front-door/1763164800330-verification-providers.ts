import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The providers that the operator lets verify values of profiles, with their public keys. @gap D1-2.7 */
export class VerificationProviders1763164800330 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create table verification_provider (provider_id text primary key, row jsonb not null)`);
  }
}
