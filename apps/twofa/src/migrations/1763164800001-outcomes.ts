import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The outcome of each challenge, which the platform tells only once. */
export class Outcomes1763164800001 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table outcome (
        service text not null,
        challenge_id text not null,
        status text not null,
        completed_at timestamptz not null,
        kept_at timestamptz not null,
        primary key (service, challenge_id))`);
    await db.query(`create index outcome_by_age on outcome (kept_at)`);
  }
}
