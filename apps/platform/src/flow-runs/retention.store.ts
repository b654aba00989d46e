import { many, sql } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import type { OwnService } from '../services/index.ts';
import type { RunRow } from './run-row.ts';

/** Runs of a company that still hold data and were not started after a moment, locked. */
export const lockWithData = (tx: EntityManager, company_user_id: string, before: Date, most: number): Promise<RunRow[]> =>
  many<RunRow>(
    tx,
    sql`
    select * from flow_run
     where company_user_id = ${company_user_id} and data_removed_at is null and created_at <= ${before}
     order by created_at, run_id limit ${most} for update`,
  );

/** The run and who took part stay; answers, files and tag values go. @spec D2-8 */
export async function removeData(tx: EntityManager, run_ids: readonly string[], now: Date): Promise<void> {
  await many(tx, sql`delete from flow_run_answer where run_id = any(${run_ids}::text[])`);
  await many(tx, sql`delete from flow_run_file where run_id = any(${run_ids}::text[])`);
  await many(tx, sql`delete from flow_run_tag_values where run_id = any(${run_ids}::text[])`);
  await many(tx, sql`update flow_run set data_removed_at = ${now} where run_id = any(${run_ids}::text[])`);
}

/** Some runs of a service that still hold data, locked. */
export const lockOfService = (tx: EntityManager, { service_id }: OwnService, most: number): Promise<RunRow[]> =>
  many<RunRow>(
    tx,
    sql`select * from flow_run where service_id = ${service_id} and data_removed_at is null order by run_id limit ${most} for update`,
  );

/** They are locked and open. */
export const cancelRuns = (tx: EntityManager, run_ids: readonly string[]) =>
  many(tx, sql`update flow_run set status = 'cancelled', current_node = null where run_id = any(${run_ids}::text[])`);

/** Files that wait for a run of a service to start. */
export const removeStaged = (tx: EntityManager, { service_id }: OwnService) =>
  many(tx, sql`delete from flow_run_file where service_id = ${service_id} and run_id is null`);
