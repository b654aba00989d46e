import { Injectable } from '@nestjs/common';
import { many, one, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import type { Abandoned } from '../files/index.ts';
import { unknownDeletions } from '../regions/index.ts';
import type { RunRow } from './run-row.ts';

/** A file of a run: one party's copy of an answer, or of a source. What it holds is a wrapper, and is kept apart. */
export interface RunFileRow {
  file_id: string;
  company_user_id: string;
  service_id: string;
  flow_id: string;
  /** Null for a source whose run has not started. */
  run_id: string | null;
  /** Of a source: the customer whose file it is. */
  source_user_id: string | null;
  source_key: string | null;
  /** Of an answer. */
  slug: string | null;
  for_user_id: string | null;
  created_at: Date;
}

export const addFile = (tx: EntityManager, file: RunFileRow) =>
  many(
    tx,
    sql`
    insert into flow_run_file (file_id, company_user_id, service_id, flow_id, run_id, source_user_id, source_key, slug, for_user_id,
                               created_at)
    values (${file.file_id}, ${file.company_user_id}, ${file.service_id}, ${file.flow_id}, ${file.run_id}, ${file.source_user_id},
            ${file.source_key}, ${file.slug}, ${file.for_user_id}, ${file.created_at})`,
  );

/** Files that wait for a run of a flow to start, locked: one counts for one run. */
export const lockStaged = (tx: EntityManager, { service_id, flow_id }: Pick<RunRow, 'service_id' | 'flow_id'>, files: readonly string[]) =>
  many<{ file_id: string; source_user_id: string }>(
    tx,
    sql`
    select file_id, source_user_id from flow_run_file
     where file_id = any(${files}::text[]) and service_id = ${service_id} and flow_id = ${flow_id} and run_id is null
     order by file_id for update`,
  );

/** They are locked. */
export async function takeStaged(
  tx: EntityManager,
  { run_id }: Pick<RunRow, 'run_id'>,
  files: readonly { file: string; source_key: string; for_user_id: string }[],
): Promise<void> {
  await many(
    tx,
    sql`
    update flow_run_file f set run_id = ${run_id}, source_key = n.source_key, for_user_id = n.for_user_id, taken = true
      from json_to_recordset(${JSON.stringify(files)}) as n (file text, source_key text, for_user_id text)
     where f.file_id = n.file`,
  );
}

/** Files that were uploaded as answers of a run. */
export const listUploaded = (db: Db, run_id: string, files: readonly string[]) =>
  many<{ file_id: string; slug: string; for_user_id: string }>(
    db,
    sql`
    select file_id, slug, for_user_id from flow_run_file
     where run_id = ${run_id} and file_id = any(${files}::text[]) and slug is not null`,
  );

/** An answer names them: from now on they stay with the run. */
export const takeUploaded = (tx: EntityManager, run_id: string, files: readonly string[]) =>
  many(tx, sql`update flow_run_file set taken = true where run_id = ${run_id} and file_id = any(${files}::text[])`);

/** The copies of connection sources that one user has. Those of a customer whose account was deleted went with it. @spec D2-2.2 */
export async function listSources(db: Db, run_id: string, for_user_id: string): Promise<{ source_key: string; file_id: string }[]> {
  const sources = await many<{ source_key: string; file_id: string; source_user_id: string }>(
    db,
    sql`
    select source_key, file_id, source_user_id from flow_run_file
     where run_id = ${run_id} and for_user_id = ${for_user_id} and source_key is not null
     order by source_key`,
  );
  if (sources.length === 0) return [];
  const owners = await unknownDeletions(db, [...new Set(sources.map(({ source_user_id }) => source_user_id))]);
  return sources.filter(({ source_user_id }) => owners.includes(source_user_id));
}

/** A file that somebody may read. What it holds rests beside it, or with the customer whose file it was. */
export type HeldFile = Pick<RunFileRow, 'file_id' | 'company_user_id' | 'source_user_id'>;

/** A user's own copy of what a run holds, by its name; an upload that no answer names is nobody's yet. */
export const findHeld = (db: Db, run_id: string, for_user_id: string, file_id: string): Promise<HeldFile | undefined> =>
  one<HeldFile>(
    db,
    sql`
    select file_id, company_user_id, source_user_id from flow_run_file
     where file_id = ${file_id} and run_id = ${run_id} and for_user_id = ${for_user_id} and taken`,
  );

/** Which of some files a company has, whether a run took them yet or not. */
export async function listHeld(db: Db, company_user_id: string, files: readonly string[]): Promise<string[]> {
  const held = await many<{ file_id: string }>(
    db,
    sql`select file_id from flow_run_file where company_user_id = ${company_user_id} and file_id = any(${files}::text[])`,
  );
  return held.map(({ file_id }) => file_id);
}

/** Longer than anybody fills a form, or stages what a start needs. @gap D2-8 */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Files that no run and no answer took: their start or their turn was refused, or given up. */
@Injectable()
export class WaitingRunFiles implements Abandoned {
  readonly keptMs = KEPT_MS;

  /** Those of companies that are at home. */
  async removeAbandoned(db: Db, before: Date, most: number): Promise<number> {
    const removed = await many(
      db,
      sql`
      delete from flow_run_file where file_id in
        (select file_id from flow_run_file where not taken and created_at <= ${before} limit ${most} for update skip locked)
         and exists (select from hold_homes(array[company_user_id]))
      returning 1`,
    );
    return removed.length;
  }
}
