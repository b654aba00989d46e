import { Injectable } from '@nestjs/common';
import { many, one, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import { Pieces, type Resting, type RestingFile, type UploadedPayload } from '../files/index.ts';

/** Longer than a request may take. */
const KEPT_MS = 60 * 60 * 1000;

/** What a file holds, and where it rests. */
export interface Content extends Resting {
  /** Of the answer to whoever reads it. */
  served_sha256: string;
}

/**
 * What files of runs hold: that of an answer is the company's, that of a source belongs to the customer whose file it was. Each rests in
 * the region of its owner and moves with it, wherever the file is that refers to it. @spec D2-4.1
 */
@Injectable()
export class RunContents extends Pieces {
  constructor() {
    super({
      owner_kind: 'flow_run_file',
      rows: 'flow_run_content',
      key: 'file_id',
      pieces: 'flow_run_piece',
      user: 'owner_user_id',
      isWaiting: 'not taken',
      keptMs: KEPT_MS,
      hasKey: true,
    });
  }

  /** Undefined where it is not here, or has not come whole, or comes with its owner. */
  taken(db: Db, file_id: string): Promise<Content | undefined> {
    return this.find<Pick<Content, 'served_sha256'>>(
      db,
      ['served_sha256'],
      sql`
      f.file_id = ${file_id} and f.taken
        and not exists (select from profile p where p.user_id = f.owner_user_id and p.home = 'arriving')`,
    );
  }
}

/** One that nothing refers to yet. */
export const addContent = (tx: EntityManager, { owner_id, company_user_id: user_id }: RestingFile, company_user_id: string, now: Date) =>
  many(
    tx,
    sql`
    insert into flow_run_content (file_id, owner_user_id, company_user_id, created_at)
    values (${owner_id}, ${user_id}, ${company_user_id}, ${now})
    on conflict do nothing`,
  );

/** A content that has come whole, and whose it is from now on. */
export interface TakenContent extends Pick<UploadedPayload, 'owner_id' | 'piece_key' | 'served_sha256'> {
  user_id: string;
  company_user_id: string;
  /** When the region of the company is asked whether it still refers to it; null for what is the company's own. */
  ask_at: Date | null;
}

/** False where it is not there any more. Its pieces stay where they lie. */
export async function takeContent(tx: EntityManager, content: TakenContent): Promise<boolean> {
  const { owner_id, user_id, company_user_id, served_sha256, piece_key, ask_at } = content;
  const taken = await one(
    tx,
    sql`
    update flow_run_content
       set owner_user_id = ${user_id}, company_user_id = ${company_user_id}, served_sha256 = ${served_sha256}, piece_key = ${piece_key},
           taken = true, ask_at = ${ask_at}
     where file_id = ${owner_id} and not taken
    returning 1`,
  );
  if (!taken) return false;
  await many(tx, sql`update flow_run_piece set owner_user_id = ${user_id} where file_id = ${owner_id} and owner_user_id <> ${user_id}`);
  return true;
}

/** The same of one that came from another region; told again, it is kept already. */
export const keepContent = (
  tx: EntityManager,
  { file_id, owner_user_id, served_sha256, ask_at }: { file_id: string; owner_user_id: string; served_sha256: string; ask_at: Date },
) =>
  many(
    tx,
    sql`
    update flow_run_content set served_sha256 = ${served_sha256}, taken = true, ask_at = ${ask_at}
     where file_id = ${file_id} and owner_user_id = ${owner_user_id} and not taken`,
  );

/** What is sent on is sent as it came. */
export const putPieceKey = (db: Db, { owner_id, piece_key }: Pick<UploadedPayload, 'owner_id' | 'piece_key'>) =>
  many(db, sql`update flow_run_content set piece_key = ${piece_key} where file_id = ${owner_id} and not taken`);

/** A piece that another region sends. Sent again it is there already; one that comes when all was taken adds nothing. */
export const addSentPiece = (tx: EntityManager, { owner_id, company_user_id: user_id }: RestingFile, position: number, piece: string) =>
  many(
    tx,
    sql`
    insert into flow_run_piece (piece_id, owner_user_id, file_id, position, piece)
    select ${`${owner_id}_${position}`}, owner_user_id, file_id, ${position}::int, ${piece}
      from flow_run_content where file_id = ${owner_id} and owner_user_id = ${user_id} and not taken
    on conflict do nothing`,
  );

export const countPieces = async (db: Db, file_id: string): Promise<number> =>
  (await one<{ pieces: number }>(db, sql`select count(*)::int as pieces from flow_run_piece where file_id = ${file_id}`))!.pieces;

/** The owner is held. */
export const removeContents = (tx: EntityManager, user_id: string, file_ids: readonly string[]) =>
  many(tx, sql`delete from flow_run_content where owner_user_id = ${user_id} and file_id = any(${file_ids}::text[])`);

/** A content of a customer of whom the company's region is to be asked. */
export interface KeptContent {
  file_id: string;
  owner_user_id: string;
  company_user_id: string;
}

/** Some that are due, of customers at home. */
export const listToAsk = (db: Db, now: Date, most: number): Promise<KeptContent[]> =>
  many<KeptContent>(
    db,
    sql`
    select c.file_id, c.owner_user_id, c.company_user_id
      from flow_run_content c join profile p on p.user_id = c.owner_user_id and p.home = 'here'
     where c.ask_at <= ${now}
     order by c.ask_at
     limit ${most}`,
  );

export const askLater = (tx: EntityManager, user_id: string, file_ids: readonly string[], ask_at: Date) =>
  many(tx, sql`update flow_run_content set ask_at = ${ask_at} where owner_user_id = ${user_id} and file_id = any(${file_ids}::text[])`);
