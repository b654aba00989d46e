import { Inject, Injectable } from '@nestjs/common';
import { execute, one, sql, type Db } from '@codase/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { Files, PayloadReader, Pieces, type Resting, type RestingFile, type UploadedPayload } from '../../storage/files/index.ts';
import { isBroadcast, isPersonal, type DocumentRow } from './document-row.ts';
import { REGION_DB } from '../../kit/databases.ts';

/** The reader that a content of a document is meant for. */
type Reader = 'recipient' | 'company' | 'everybody';
export function readerOf(document: DocumentRow): Reader {
  if (isBroadcast(document)) return 'everybody';
  return isPersonal(document) ? 'recipient' : 'company'; // the company's own copy of a document of a run
}

/** A content of a document, and where it is stored. */
export interface Content extends Resting {
  served_sha256: string | null;
  /** Null when an earlier release stored the content. */
  served_bytes: number | null;
}

/** How long a content waits for its document: longer than a request may take. */
const KEPT_MS = 60 * 60 * 1000;

/** The contents of documents. Each is written before the document that takes it. */
@Injectable()
export class DocumentContents extends Pieces {
  constructor() {
    super({
      owner_kind: 'document_content',
      rows: 'document_content',
      key: 'content_id',
      pieces: 'document_piece',
      isWaiting: 'document_id is null',
      keptMs: KEPT_MS,
      hasKey: true,
    });
  }

  /** Finds the content of a document that is meant for a reader. */
  ofReader(db: Db, document_id: string, reader: Reader): Promise<Content | undefined> {
    return this.find<Pick<Content, 'served_sha256' | 'served_bytes'>>(
      db,
      ['served_sha256', 'served_bytes'],
      sql`f.document_id = ${document_id} and f.reader = ${reader}`,
    );
  }
}

/** Adds a content that belongs to no document yet. */
export const addUpload = (tx: EntityManager, { owner_id, company_user_id }: RestingFile, now: Date) =>
  execute(tx)`insert into document_content (content_id, company_user_id, created_at) values (${owner_id}, ${company_user_id}, ${now})`;

type Taken = Pick<UploadedPayload, 'owner_id' | 'served_sha256' | 'served_bytes' | 'piece_key'> & { reader: Reader };

/** Attaches an upload to a locked document, in place of the content before. Returns false when the upload does not exist any more. */
export async function takeUpload(
  tx: EntityManager,
  document: Pick<DocumentRow, 'document_id' | 'company_user_id'>,
  { reader, owner_id, served_sha256, served_bytes, piece_key }: Taken,
): Promise<boolean> {
  const { document_id, company_user_id } = document;
  await execute(tx)`delete from document_content where document_id = ${document_id} and reader = ${reader}`;
  const taken = await one(tx)`
    update document_content
       set document_id = ${document_id}, reader = ${reader}, served_sha256 = ${served_sha256}, served_bytes = ${served_bytes},
           piece_key = ${piece_key}
     where content_id = ${owner_id} and company_user_id = ${company_user_id} and document_id is null
    returning 1`;
  return taken !== undefined;
}

/** Reads the contents of documents of companies that live in this region. */
@Injectable()
export class ContentReader extends PayloadReader {
  constructor(@Inject(REGION_DB) db: DataSource, files: Files, contents: DocumentContents) {
    super(db, files, contents);
  }
}
