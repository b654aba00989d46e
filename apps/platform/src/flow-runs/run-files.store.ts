import { Injectable } from '@nestjs/common';
import { many, one, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import type { RestingFile, RestingFiles, StoredObject } from '../files/index.ts';
import type { RunRow } from './run-row.ts';

/** A file of a run: one party's copy of an answer, or of a source. Its text is a wrapper, and is read apart. */
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
  /** Of the answer to whoever reads it. */
  served_sha256: string;
  created_at: Date;
}

/** With its text, in pieces. */
export async function addFile(tx: EntityManager, file: RunFileRow, pieces: readonly string[]): Promise<void> {
  await many(
    tx,
    sql`
    insert into flow_run_file (file_id, company_user_id, service_id, flow_id, run_id, source_user_id, source_key, slug, for_user_id,
                               served_sha256, created_at)
    values (${file.file_id}, ${file.company_user_id}, ${file.service_id}, ${file.flow_id}, ${file.run_id}, ${file.source_user_id},
            ${file.source_key}, ${file.slug}, ${file.for_user_id}, ${file.served_sha256}, ${file.created_at})`,
  );
  await many(
    tx,
    sql`
    insert into flow_run_piece (piece_id, company_user_id, file_id, position, piece)
    select ${file.file_id} || '_' || nth, ${file.company_user_id}, ${file.file_id}, nth, piece
      from unnest(${pieces}::text[]) with ordinality as p(piece, nth)`,
  );
}

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

/** The copies of connection sources that one user has. @spec D2-2.2 */
export const listSources = (db: Db, run_id: string, for_user_id: string) =>
  many<{ source_key: string; file_id: string }>(
    db,
    sql`
    select source_key, file_id from flow_run_file
     where run_id = ${run_id} and for_user_id = ${for_user_id} and source_key is not null
     order by source_key`,
  );

/** A file that somebody may read, and where it rests. */
export interface HeldFile {
  file_id: string;
  served_sha256: string;
  /** In the database. */
  pieces: number;
  /** Null where it does not rest in the object store. */
  object: StoredObject | null;
}

type HeldFileRow = Omit<HeldFile, 'object'> & { [K in keyof StoredObject]: StoredObject[K] | null };

/** One statement, so that nothing is moved between. */
const HELD = `
  select f.file_id, f.served_sha256, o.object_key, o.sealing_key, o.bytes::integer as bytes,
         (select count(*)::int from flow_run_piece p where p.file_id = f.file_id) as pieces
    from flow_run_file f left join stored_object o on o.owner_id = f.file_id and o.state = 'stored'`;

function heldFile(row: HeldFileRow | undefined): HeldFile | undefined {
  if (!row) return undefined;
  const { object_key, sealing_key, bytes, ...file } = row;
  return { ...file, object: object_key === null ? null : { object_key, sealing_key: sealing_key!, bytes: bytes! } };
}

/** A user's own copy of what a run holds, by its name; an upload that no answer names is nobody's yet. */
export const findHeld = async (db: Db, run_id: string, for_user_id: string, file_id: string): Promise<HeldFile | undefined> =>
  heldFile(
    await one(db, {
      text: `${HELD} where f.file_id = $1 and f.run_id = $2 and f.for_user_id = $3 and f.taken`,
      values: [file_id, run_id, for_user_id],
    }),
  );

export const findHeldById = async (db: Db, file_id: string): Promise<HeldFile | undefined> =>
  heldFile(await one(db, { text: `${HELD} where f.file_id = $1`, values: [file_id] }));

export const findPiece = async (db: Db, file_id: string, position: number): Promise<string | undefined> =>
  (await one<{ piece: string }>(db, sql`select piece from flow_run_piece where file_id = ${file_id} and position = ${position}`))?.piece;

/** Uploads that came to nothing, of companies that are at home. Answers how many. */
export async function removeWaiting(db: Db, before: Date, most: number): Promise<number> {
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

/** Files of runs in pieces in the database, where each begins. What no run holds yet stays there. */
@Injectable()
export class RunFileContents implements RestingFiles {
  readonly owner_kind = 'flow_run_file';

  listToUpload(db: Db, most: number): Promise<RestingFile[]> {
    return many<RestingFile>(
      db,
      sql`
      select f.file_id as owner_id, f.company_user_id
        from flow_run_piece c
        join flow_run_file f on f.file_id = c.file_id and f.taken
        join profile p on p.user_id = f.company_user_id and p.home = 'here'
       where c.position = 1
         and not exists (select from stored_object o where o.owner_id = f.file_id and o.state <> 'deleting')
       limit ${most}`,
    );
  }

  async lock(tx: EntityManager, file_id: string): Promise<boolean> {
    return (await one(tx, sql`select from flow_run_file where file_id = ${file_id} for no key update`)) !== undefined;
  }

  async *read(db: Db, file_id: string): AsyncIterable<Uint8Array> {
    for (let position = 1; ; position++) {
      const piece = await findPiece(db, file_id, position);
      if (piece === undefined) return;
      yield Buffer.from(piece);
    }
  }

  addPiece(tx: EntityManager, { owner_id, company_user_id }: RestingFile, position: number, piece: Uint8Array): Promise<unknown> {
    return many(
      tx,
      sql`
      insert into flow_run_piece (piece_id, company_user_id, file_id, position, piece)
      values (${`${owner_id}_${position}`}, ${company_user_id}, ${owner_id}, ${position}, ${piece})`,
    );
  }

  removePieces(tx: EntityManager, file_id: string): Promise<unknown> {
    return many(tx, sql`delete from flow_run_piece where file_id = ${file_id}`);
  }
}
