import { execute, many, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { OwnService } from '../../../services/services/index.ts';
import type { CompanyLapse } from './data-retention.ts';
import { removeInputs } from '../documents/inputs.store.ts';
import type { RunRow } from '../run-row.ts';

/** Returns those of some companies that still have runs with data to delete. */
export async function listWithData(db: Db, lapses: readonly CompanyLapse[]): Promise<string[]> {
  const found = await many<{ company_user_id: string }>(db)`
    select lapse.company_user_id
      from json_to_recordset(${JSON.stringify(lapses)}) as lapse (company_user_id text, without_flows_since timestamptz)
     cross join lateral (
       select from flow_run r
        where r.company_user_id = lapse.company_user_id and r.data_removed_at is null and r.created_at <= lapse.without_flows_since limit 1
     ) as one_with_data`;
  return found.map(({ company_user_id }) => company_user_id);
}

/** Locks the oldest runs that still hold data and were started by `before`, in the order in which the end of a connection locks them. */
export const lockWithData = (tx: EntityManager, company_user_id: string, before: Date, most: number) => many<RunRow>(tx)`
  select * from flow_run
   where data_removed_at is null
     and run_id in (select run_id from flow_run
                     where company_user_id = ${company_user_id} and data_removed_at is null and created_at <= ${before}
                     order by created_at, run_id limit ${most})
   order by run_id for update`;

/** Deletes answers, files, tag values and inputs of generations. The run and its parties stay. @spec D2-8 */
export async function removeData(tx: EntityManager, run_ids: readonly string[], now: Date): Promise<void> {
  await execute(tx)`delete from flow_run_answer where run_id = any(${run_ids}::text[])`;
  await execute(tx)`delete from flow_run_file where run_id = any(${run_ids}::text[])`;
  await execute(tx)`delete from flow_run_tag_values where run_id = any(${run_ids}::text[])`;
  await removeInputs(tx, run_ids);
  await execute(tx)`update flow_run set data_removed_at = ${now} where run_id = any(${run_ids}::text[])`;
}

/** Locks some runs of a service that still hold data. */
export const lockOfService = (tx: EntityManager, { service_id }: OwnService, most: number) => many<RunRow>(tx)`
  select * from flow_run where service_id = ${service_id} and data_removed_at is null order by run_id limit ${most} for update`;

/** Cancels runs that are locked and open. */
export const cancelRuns = (tx: EntityManager, run_ids: readonly string[]) =>
  execute(tx)`update flow_run set status = 'cancelled', current_node = null where run_id = any(${run_ids}::text[])`;

/** Deletes the files that wait for a run of a service to start. */
export const removeStaged = (tx: EntityManager, { service_id }: OwnService) =>
  execute(tx)`delete from flow_run_file where service_id = ${service_id} and run_id is null`;
