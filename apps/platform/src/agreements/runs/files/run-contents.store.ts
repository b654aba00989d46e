import { Injectable } from '@nestjs/common';
import { execute, hasRow, many, sql, type Db } from '@codase/runtime/db';
import { In, type EntityManager } from 'typeorm';
import { Pieces, type Resting, type RestingFile, type UploadedPayload } from '../../../storage/files/index.ts';
import { FlowRunContentEntity, FlowRunPieceEntity } from './flow-run-file.entity.ts';

/** How long an upload waits for a request that takes it: longer than a request may take. */
const KEPT_MS = 60 * 60 * 1000;

/** The content of a file, and where it rests. */
export interface Content extends Resting {
  /** The digest of the answer to a reader. */
  served_sha256: string;
}

/**
 * The contents of files of runs. The content of an answer belongs to the company, the content of a source to the customer whose file it
 * was. Each rests in the region of its owner and moves with the owner, wherever the file is that refers to it. @spec D2-4.1
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

  /** Finds a content; undefined when it is not here, has not arrived completely, or is just moving here with its owner. */
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

/** Adds a content to which nothing refers yet. */
export const addContent = (tx: EntityManager, { owner_id, company_user_id: user_id }: RestingFile, company_user_id: string, now: Date) =>
  tx
    .createQueryBuilder()
    .insert()
    .into(FlowRunContentEntity)
    .values({ file_id: owner_id, owner_user_id: user_id, company_user_id, created_at: now })
    .orIgnore()
    .execute();

/** A content that has arrived completely, and the user to whom it belongs from now on. */
interface TakenContent extends Pick<UploadedPayload, 'owner_id' | 'piece_key' | 'served_sha256'> {
  user_id: string;
  company_user_id: string;
  /** When the company's region is asked whether it still refers to the content; null for the company's own content. */
  ask_at: Date | null;
}

/** Gives a content to its owner, and its pieces by the foreign key. Returns false when it is no longer there. Its pieces are not copied. */
export const takeContent = (
  tx: EntityManager,
  { owner_id, user_id, company_user_id, served_sha256, piece_key, ask_at }: TakenContent,
): Promise<boolean> =>
  hasRow(tx)`
    update flow_run_content
       set owner_user_id = ${user_id}, company_user_id = ${company_user_id}, served_sha256 = ${served_sha256}, piece_key = ${piece_key},
           taken = true, ask_at = ${ask_at}
     where file_id = ${owner_id} and not taken
    returning 1`;

/** Keeps a content that came from another region. A repeated request changes nothing. */
export const keepContent = (
  tx: EntityManager,
  { file_id, owner_user_id, served_sha256, ask_at }: { file_id: string; owner_user_id: string; served_sha256: string; ask_at: Date },
) => tx.getRepository(FlowRunContentEntity).update({ file_id, owner_user_id, taken: false }, { served_sha256, taken: true, ask_at });

/** Stores the piece key of an upload, so that its pieces can be read and sent to another region decrypted. */
export const putPieceKey = (db: Db, { owner_id, piece_key }: Pick<UploadedPayload, 'owner_id' | 'piece_key'>) =>
  db.getRepository(FlowRunContentEntity).update({ file_id: owner_id, taken: false }, { piece_key });

/** Adds a piece that another region sends. Does nothing when the piece is there already, or the content has been taken. */
export const addSentPiece = (tx: EntityManager, { owner_id, company_user_id: user_id }: RestingFile, position: number, piece: string) =>
  execute(tx)`
    insert into flow_run_piece (piece_id, owner_user_id, file_id, position, piece)
    select ${`${owner_id}_${position}`}, owner_user_id, file_id, ${position}::int, ${piece}
      from flow_run_content where file_id = ${owner_id} and owner_user_id = ${user_id} and not taken
    on conflict do nothing`;

export const countPieces = (db: Db, file_id: string): Promise<number> => db.getRepository(FlowRunPieceEntity).countBy({ file_id });

/** Deletes contents. The home lock of their owner is held. */
export const removeContents = (tx: EntityManager, user_id: string, file_ids: readonly string[]) =>
  tx.getRepository(FlowRunContentEntity).delete({ owner_user_id: user_id, file_id: In(file_ids) });

/** A content of a customer about which the company's region has to be asked. */
export type KeptContent = Pick<FlowRunContentEntity, 'file_id' | 'owner_user_id' | 'company_user_id'>;

/** Lists some contents of customers at home about which a region has to be asked now. */
export const listToAsk = (db: Db, now: Date, most: number) => many<KeptContent>(db)`
  select c.file_id, c.owner_user_id, c.company_user_id
    from flow_run_content c join profile p on p.user_id = c.owner_user_id and p.home = 'here'
   where c.ask_at <= ${now}
   order by c.ask_at
   limit ${most}`;

export const askLater = (tx: EntityManager, user_id: string, file_ids: readonly string[], ask_at: Date) =>
  tx.getRepository(FlowRunContentEntity).update({ owner_user_id: user_id, file_id: In(file_ids) }, { ask_at });
