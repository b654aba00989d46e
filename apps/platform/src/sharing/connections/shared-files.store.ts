import { Injectable } from '@nestjs/common';
import { execute } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { Pieces, type RestingFile } from '../../storage/files/index.ts';

/** The files of answers, by the id of their value. Each is first stored in the database, in the transaction of its answer. */
@Injectable()
export class SharedFiles extends Pieces {
  constructor() {
    super({ owner_kind: 'shared_value', rows: 'shared_value', key: 'shared_value_id', pieces: 'shared_file' });
  }
}

/** A sealed file that another capability stores. It is copied piece by piece, so that it is never in memory as a whole. */
export interface StoredFile {
  /** The SHA-256 of the file as it is served. */
  file_sha256: string;
  copyTo(tx: EntityManager, to: Pieces, file: RestingFile): Promise<void>;
}

export const SHARED_FILES = new SharedFiles();

/** Stores the file of a value that was just written. */
export const addSharedFile = (tx: EntityManager, shared_value_id: string, pieces: readonly string[]) =>
  execute(tx)`
    insert into shared_file (piece_id, company_user_id, shared_value_id, position, piece)
    select shared_value_id || '_' || nth, company_user_id, shared_value_id, nth, piece
      from shared_value, unnest(${pieces}::text[]) with ordinality as p(piece, nth)
     where shared_value_id = ${shared_value_id}`;
