import { Injectable } from '@nestjs/common';
import { AROUND_VALUE_BYTES, longRow, many, one, prepared, sendLong, sql, type Db } from '@cds/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import type { RestingFile, RestingFiles, StoredObject } from '../files/index.ts';
import { PIECE_BYTES } from '../text-pieces.ts';
import { isPersonal, type DocumentRow } from './document-row.ts';
import { decryptPiece, encryptedBytes, PIECE_KEY_BYTES } from './piece-key.ts';

/** Who reads a content of a document. */
export type Reader = 'recipient' | 'company' | 'everybody';
export const readerOf = (document: DocumentRow): Reader => (isPersonal(document) ? 'recipient' : 'everybody');

/** A content of a document, and where it rests. */
export interface Content {
  content_id: string;
  served_sha256: string | null;
  /** In the database. */
  pieces: number;
  /** Null where it does not rest in the object store. */
  object: StoredObject | null;
}

/** A content that belongs to no document yet. */
export interface Upload {
  content_id: string;
  company_user_id: string;
}

export const addUpload = (tx: EntityManager, { content_id, company_user_id }: Upload, now: Date) =>
  many(tx, sql`insert into document_content (content_id, company_user_id, created_at) values (${content_id}, ${company_user_id}, ${now})`);

/** One piece, counted from 1: none of a payload is ever one long value. Bytes are sent as they are, and are text in the database. */
export const addPiece = (tx: EntityManager, { content_id, company_user_id }: Upload, position: number, piece: Uint8Array) =>
  many(
    tx,
    sql`
    insert into document_piece (piece_id, company_user_id, content_id, position, piece)
    values (${`${content_id}_${position}`}, ${company_user_id}, ${content_id}, ${position}, ${piece})`,
  );

/**
 * The same of a company that is at home, and for whose lock nobody waits. False where nothing was written. Its commit does not wait for the
 * disk: the commit that gives the upload to a document does, and Postgres writes its log in order.
 */
export const addPieceIfHome = async (
  db: DataSource,
  { content_id, company_user_id }: Upload,
  position: number,
  piece: Uint8Array,
): Promise<boolean> =>
  (await sendLong(
    db,
    prepared(
      'add_document_piece',
      sql`
      with later as materialized (select set_config('synchronous_commit', 'off', true)),
           home as (select hold_homes(array[${company_user_id}]))
      insert into document_piece (company_user_id, piece_id, content_id, position, piece)
      select home.*, ${`${content_id}_${position}`}, ${content_id}, ${position}, ${piece}::text
        from later, home
      returning 1`,
    ),
  )) > 0;

/** Puts an upload in the place of the content before. False where it is not there any more. The document is locked. */
export async function takeUpload(
  tx: EntityManager,
  document: DocumentRow,
  {
    reader,
    content_id,
    served_sha256,
    piece_key,
  }: Pick<Content, 'content_id' | 'served_sha256'> & { reader: Reader; piece_key: Buffer | null },
): Promise<boolean> {
  const { document_id, company_user_id } = document;
  await many(tx, sql`delete from document_content where document_id = ${document_id} and reader = ${reader}`);
  const taken = await one(
    tx,
    sql`
    update document_content
       set document_id = ${document_id}, reader = ${reader}, served_sha256 = ${served_sha256}, piece_key = ${piece_key}
     where content_id = ${content_id} and company_user_id = ${company_user_id} and document_id is null
    returning 1`,
  );
  return taken !== undefined;
}

export const removeUpload = (db: Db, content_id: string) =>
  many(db, sql`delete from document_content where content_id = ${content_id} and document_id is null`);

/** Uploads that came to nothing, of companies that are at home. Answers how many. */
export async function removeUploads(db: Db, before: Date, most: number): Promise<number> {
  const removed = await many(
    db,
    sql`
    delete from document_content where content_id in
      (select content_id from document_content where document_id is null and created_at <= ${before} limit ${most} for update skip locked)
       and exists (select from hold_homes(array[company_user_id]))
    returning 1`,
  );
  return removed.length;
}

type ContentRow = Omit<Content, 'object'> & { [K in keyof StoredObject]: StoredObject[K] | null };

/** One statement, so that nothing is moved between. */
const CONTENT = `
  select c.content_id, c.served_sha256, o.object_key, o.sealing_key, o.bytes::integer as bytes,
         (select count(*)::int from document_piece p where p.content_id = c.content_id) as pieces
    from document_content c left join stored_object o on o.owner_id = c.content_id and o.state = 'stored'`;

function contentOf(row: ContentRow | undefined): Content | undefined {
  if (!row) return undefined;
  const { object_key, sealing_key, bytes, ...content } = row;
  return { ...content, object: object_key === null ? null : { object_key, sealing_key: sealing_key!, bytes: bytes! } };
}

/** The content that a reader has of a document. */
export const findContent = async (db: Db, document_id: string, reader: Reader): Promise<Content | undefined> =>
  contentOf(await one(db, { text: `${CONTENT} where c.document_id = $1 and c.reader = $2`, values: [document_id, reader] }));

export const findContentById = async (db: Db, content_id: string): Promise<Content | undefined> =>
  contentOf(await one(db, { text: `${CONTENT} where c.content_id = $1`, values: [content_id] }));

/** Those of earlier releases are shorter. What is under a key is stored as base64. */
const STORED_BYTES = encryptedBytes(PIECE_BYTES);
export const pieceBuffer = (): Buffer => Buffer.allocUnsafeSlow(STORED_BYTES + AROUND_VALUE_BYTES + PIECE_KEY_BYTES);

export async function findPiece(db: DataSource, content_id: string, position: number, into: Buffer): Promise<Buffer | undefined> {
  const found = await longRow(
    db,
    sql`
    select p.piece, c.piece_key from document_piece p join document_content c using (content_id)
     where p.content_id = ${content_id} and p.position = ${position}`,
    into,
  );
  const [piece, key] = found ?? [];
  return piece && key ? decryptPiece(key, position, piece) : (piece ?? undefined);
}

/** A piece that is sent, one that is kept back until more is known, and one that is read ahead. */
const BUFFERS = 3;

/**
 * Pieces one after the other as far as they are there, and the next one ahead, in memory that is used again: each is good until the one
 * after the next is asked for. What is allocated for each piece would be collected late.
 */
export async function* readPieces(db: DataSource, content_id: string, most: number): AsyncIterable<Uint8Array> {
  const buffers: Buffer[] = [];
  const read = (position: number): Promise<Buffer | undefined> => {
    const piece = findPiece(db, content_id, position, (buffers[position % BUFFERS] ??= pieceBuffer()));
    piece.catch(() => undefined); // whoever asks for it next meets the error, if somebody does
    return piece;
  };
  let next = most > 0 ? read(1) : undefined;
  for (let position = 1; next !== undefined; position++) {
    const piece = await next;
    if (piece === undefined) return;
    next = position < most ? read(position + 1) : undefined;
    yield piece;
  }
}

/** Contents of documents in pieces in the database, where each begins. What belongs to no document yet stays there. */
@Injectable()
export class DocumentContents implements RestingFiles {
  readonly owner_kind = 'document_content';

  listToUpload(db: Db, most: number): Promise<RestingFile[]> {
    return many<RestingFile>(
      db,
      sql`
      select c.content_id as owner_id, c.company_user_id
        from document_piece f
        join document_content c on c.content_id = f.content_id and c.document_id is not null
        join profile p on p.user_id = c.company_user_id and p.home = 'here'
       where f.position = 1
         and not exists (select from stored_object o where o.owner_id = c.content_id and o.state <> 'deleting')
       limit ${most}`,
    );
  }

  async lock(tx: EntityManager, content_id: string): Promise<boolean> {
    return (await one(tx, sql`select from document_content where content_id = ${content_id} for no key update`)) !== undefined;
  }

  read(db: DataSource, content_id: string): AsyncIterable<Uint8Array> {
    return readPieces(db, content_id, Infinity);
  }

  /** As it is: by now a document has it. */
  async addPiece(tx: EntityManager, { owner_id, company_user_id }: RestingFile, position: number, piece: Uint8Array): Promise<unknown> {
    if (position === 1) await many(tx, sql`update document_content set piece_key = null where content_id = ${owner_id}`);
    return addPiece(tx, { content_id: owner_id, company_user_id }, position, piece);
  }

  removePieces(tx: EntityManager, content_id: string): Promise<unknown> {
    return many(tx, sql`delete from document_piece where content_id = ${content_id}`);
  }
}
