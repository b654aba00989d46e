import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The outcome of a detached enrolment that a person has allowed and its region does not have yet: nobody can deny it meanwhile. */
export class Enrolling1763164800037 extends ForwardMigration {
  up = (db: QueryRunner): Promise<void> => setOutcomes(db, ['waiting', 'enrolling', 'enrolled', 'denied']);
}

async function setOutcomes(db: QueryRunner, outcomes: readonly string[]): Promise<void> {
  const listed = outcomes.map((outcome) => `'${outcome}'`).join(', ');
  await db.query(`alter table detached_result drop constraint detached_result_outcome_check`);
  await db.query(`alter table detached_result add constraint detached_result_outcome_check check (outcome in (${listed}))`);
}
