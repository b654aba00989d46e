import { many, sql } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import type { OwnService } from '../services/index.ts';
import type { RunRow } from './run-row.ts';

/** Cancels what is open of a service. Answers how many there were. */
export async function cancelOfService(tx: EntityManager, { service_id }: OwnService): Promise<number> {
  const cancelled = await many(
    tx,
    sql`
    update flow_run set status = 'cancelled', current_node = null
     where service_id = ${service_id} and status not in ('completed', 'cancelled')
    returning 1`,
  );
  return cancelled.length;
}

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

/** The same of all runs of a service, and of what was staged for one. */
export async function removeDataOfService(tx: EntityManager, { service_id }: OwnService, now: Date): Promise<void> {
  const runs = sql`select run_id from flow_run where service_id = ${service_id} and data_removed_at is null`;
  const found = await many<{ run_id: string }>(tx, runs);
  await removeData(
    tx,
    found.map(({ run_id }) => run_id),
    now,
  );
  await many(tx, sql`delete from flow_run_file where service_id = ${service_id} and run_id is null`);
}
