import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Starts of runs, by the keys that the callers chose, so that a repeat finds the run. */
export class RunStarts1763164800002 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table run_start (
        service       text not null,
        start_key     text not null,
        body_digest   text not null,
        requested_at  timestamptz not null,
        flow_run_id   text,
        status        text,
        node          text,
        primary key (service, start_key),
        check ((flow_run_id is null) = (status is null))
      )`);
    await db.query(`create index run_start_by_age on run_start (requested_at)`);
  }
}
