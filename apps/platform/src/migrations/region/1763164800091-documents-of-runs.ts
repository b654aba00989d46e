import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Copies of the documents that runs produce. Each participant has one, the owning company included: its own copy has no connection.
 * @spec D2-2.2 @spec D2-4.3
 */
export class DocumentsOfRuns1763164800091 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // position: the place in the signing line, null for a party that neither signs nor accepts. run_order: the place among all copies.
    await db.query(`
      alter table document
        add run_id text,
        add output_key text,
        add party_key text,
        add position integer,
        add run_order integer,
        drop constraint document_status_check,
        drop constraint document_check,
        drop constraint document_check1,
        add constraint document_status_check
          check (status in ('waiting', 'offering', 'ready_to_sign', 'active', 'active_but_ending', 'ended')),
        add constraint document_recipient_check
          check (run_id is not null or (person_user_id is null) = (connection_id is null)),
        add constraint document_customer_check check ((connection_id is null) = (customer_type is null)),
        add constraint document_run_check
          check ((run_id is null) = (output_key is null) and (run_id is null) = (party_key is null)
                 and (run_id is null) = (run_order is null) and (run_id is not null or (position is null and status <> 'waiting'))
                 and (run_id is null or person_user_id is not null))`);
    await db.query(`create unique index document_of_run on document (run_id, run_order) where run_id is not null`);
    // Documents of runs outlast their service, which may be deleted.
    await db.query(`alter table document drop constraint document_service_id_fkey`);
  }
}
