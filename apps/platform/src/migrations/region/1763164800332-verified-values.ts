import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Which values a verification is of: verified values are few among many. */
const VERIFIED = {
  contact_value: `verification <> '{}'`,
  shared_value: `verification <> '{}'`,
  flow_run_answer: `verification->>'verification_id' is not null`,
};

/**
 * Indexes verified values, so that the one of a verification is found at once. The tables may be large: each index is built while the
 * region serves, in no transaction. When a build was cut off, its index is built anew.
 */
export class VerifiedValues1763164800332 extends ForwardMigration {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    for (const [table, verified] of Object.entries(VERIFIED)) {
      const index = `${table}_verified`;
      const [state] = (await db.query('select indisvalid from pg_index where indexrelid = to_regclass($1)', [index])) as {
        indisvalid: boolean;
      }[];
      if (state?.indisvalid) continue;
      if (state) await db.query(`drop index concurrently ${index}`);
      await db.query(`create index concurrently ${index} on ${table} ((verification->>'verification_id')) where ${verified}`);
    }
  }
}
