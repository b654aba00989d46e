import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * An index of the runs of a service that still hold data. The end of a service deletes them in batches, and without the index each batch
 * read and sorted all runs of the service, also those that the batches before had ended.
 */
export class RunsOfEndingServices1763164800085 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index flow_run_of_service_with_data on flow_run (service_id, run_id) where data_removed_at is null`);
  }
}
