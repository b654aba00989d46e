import { Injectable } from '@nestjs/common';
import { execute, many, type Db } from '@codase/runtime/db';
import { In, type EntityManager } from 'typeorm';
import type { Abandoned } from '../../../storage/files/index.ts';
import { unknownDeletions } from '../../../foundation/regions/index.ts';
import type { RunRow } from '../run-row.ts';
import { FlowRunFileEntity } from './flow-run-file.entity.ts';

/** A file of a run: one party's copy of an answer, or of a source. Its content is a wrapper, which is stored apart. */
type RunFileRow = Omit<FlowRunFileEntity, 'taken'>;

export const addFile = (tx: EntityManager, file: RunFileRow) => tx.getRepository(FlowRunFileEntity).insert(file);

/** Locks files that wait for a run of a flow to start, so that a file is used by one run only. */
export const lockStaged = (tx: EntityManager, { service_id, flow_id }: Pick<RunRow, 'service_id' | 'flow_id'>, files: readonly string[]) =>
  many<{ file_id: string; source_user_id: string }>(tx)`
    select file_id, source_user_id from flow_run_file
     where file_id = any(${files}::text[]) and service_id = ${service_id} and flow_id = ${flow_id} and run_id is null
     order by file_id for update`;

/** Binds staged files to a run. They are locked. */
export async function takeStaged(
  tx: EntityManager,
  { run_id }: Pick<RunRow, 'run_id'>,
  files: readonly { file: string; source_key: string; for_user_id: string }[],
): Promise<void> {
  await execute(tx)`
    update flow_run_file f set run_id = ${run_id}, source_key = n.source_key, for_user_id = n.for_user_id, taken = true
      from json_to_recordset(${JSON.stringify(files)}) as n (file text, source_key text, for_user_id text)
     where f.file_id = n.file`;
}

/** Lists files that were uploaded as answers of a run. */
export const listUploaded = (db: Db, run_id: string, files: readonly string[]) =>
  many<{ file_id: string; slug: string; for_user_id: string }>(db)`
    select file_id, slug, for_user_id from flow_run_file
     where run_id = ${run_id} and file_id = any(${files}::text[]) and slug is not null`;

/** Lists the same files for a turn, and locks them: a file that no answer took in time is deleted before the turn or not at all. */
export const lockUploaded = (tx: EntityManager, run_id: string, files: readonly string[]) =>
  many<{ file_id: string; slug: string; for_user_id: string; served_sha256: string | null }>(tx)`
    select file_id, f.slug, f.for_user_id, c.served_sha256
      from flow_run_file f left join flow_run_content c using (file_id)
     where f.run_id = ${run_id} and file_id = any(${files}::text[]) and f.slug is not null
     order by file_id for update of f`;

/** Marks files that an answer names: from now on they stay with the run. They are locked. It is sent together with other statements. */
export const takeUploaded = (tx: EntityManager, run_id: string, files: readonly string[]) =>
  execute(tx)`update flow_run_file set taken = true where run_id = ${run_id} and file_id = any(${files}::text[])`;

/** Lists one user's copies of connection sources. The files of a customer who deleted the account were deleted with it. @spec D2-2.2 */
export async function listSources(db: Db, run_id: string, for_user_id: string): Promise<{ source_key: string; file_id: string }[]> {
  const sources = await many<{ source_key: string; file_id: string; source_user_id: string }>(db)`
    select source_key, file_id, source_user_id from flow_run_file
     where run_id = ${run_id} and for_user_id = ${for_user_id} and source_key is not null
     order by source_key`;
  if (sources.length === 0) return [];
  const owners = await unknownDeletions(db, [...new Set(sources.map(({ source_user_id }) => source_user_id))]);
  return sources.filter(({ source_user_id }) => owners.includes(source_user_id));
}

/** A file that a party may read. Its content rests in the same region, or with the customer whose file it was. */
export type StoredRunFile = Pick<RunFileRow, 'file_id' | 'company_user_id' | 'source_user_id'>;

/** Finds a user's own copy of a file of a run. An upload that no answer names is not found. */
export const findStoredFile = async (db: Db, run_id: string, for_user_id: string, file_id: string): Promise<StoredRunFile | undefined> =>
  (await db.getRepository(FlowRunFileEntity).findOneBy({ file_id, run_id, for_user_id, taken: true })) ?? undefined;

/** Returns which of some files a company has, whether a run has taken them or not. */
export async function listStoredFiles(db: Db, company_user_id: string, files: readonly string[]): Promise<string[]> {
  const stored = await db.getRepository(FlowRunFileEntity).findBy({ company_user_id, file_id: In(files) });
  return stored.map(({ file_id }) => file_id);
}

/** How long a file waits: longer than it takes to fill a form, or to stage the files of a start. @gap D2-8 */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Deletes files that no run and no answer took, because their start or their turn was refused or given up. */
@Injectable()
export class WaitingRunFiles implements Abandoned {
  readonly keptMs = KEPT_MS;

  /** Removes only files of companies that are at home. */
  async removeAbandoned(db: Db, before: Date, most: number): Promise<number> {
    const removed = await many(db)`
      delete from flow_run_file where file_id in
        (select file_id from flow_run_file where not taken and created_at <= ${before} limit ${most} for update skip locked)
         and exists (select from hold_homes(array[company_user_id]))
      returning 1`;
    return removed.length;
  }
}
