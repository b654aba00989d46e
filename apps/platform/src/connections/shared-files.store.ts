import { Injectable } from '@nestjs/common';
import { many, one, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import type { RestingFile, RestingFiles } from '../files/index.ts';

/** Files of answers in the database, each in pieces, by the value whose file it is. Each begins here, in the transaction that gives it. */
@Injectable()
export class SharedFiles implements RestingFiles {
  readonly owner_kind = 'shared_value';

  listToUpload(db: Db, most: number): Promise<RestingFile[]> {
    return many<RestingFile>(
      db,
      sql`
      select f.shared_value_id as owner_id, f.company_user_id
        from shared_file f join profile p on p.user_id = f.company_user_id and p.home = 'here'
       where f.position = 1
         and not exists (select from stored_object o where o.owner_id = f.shared_value_id and o.state <> 'deleting')
       limit ${most}`,
    );
  }

  lock(tx: EntityManager, shared_value_id: string): Promise<boolean> {
    return lockValue(tx, shared_value_id);
  }

  async *read(db: Db, shared_value_id: string): AsyncIterable<Uint8Array> {
    for (let position = 1; ; position++) {
      const found = await one<{ piece: string }>(
        db,
        sql`select piece from shared_file where shared_value_id = ${shared_value_id} and position = ${position}`,
      );
      if (!found) return;
      yield Buffer.from(found.piece);
    }
  }

  addPiece(tx: EntityManager, { owner_id, company_user_id }: RestingFile, position: number, piece: Uint8Array): Promise<unknown> {
    return many(
      tx,
      sql`
      insert into shared_file (piece_id, company_user_id, shared_value_id, position, piece)
      values (${`${owner_id}_${position}`}, ${company_user_id}, ${owner_id}, ${position}, ${piece})`,
    );
  }

  removePieces(tx: EntityManager, shared_value_id: string): Promise<unknown> {
    return removeSharedFile(tx, shared_value_id);
  }
}

export const removeSharedFile = (tx: EntityManager, shared_value_id: string) =>
  many(tx, sql`delete from shared_file where shared_value_id = ${shared_value_id}`);

/** Locks the value whose file is moved, before anything else: whoever deletes the value locks it first too. False where it is gone. */
export const lockValue = async (tx: EntityManager, shared_value_id: string): Promise<boolean> =>
  (await one(tx, sql`select from shared_value where shared_value_id = ${shared_value_id} for no key update`)) !== undefined;

/** The file of a value that was just written. */
export const addSharedFile = (tx: EntityManager, shared_value_id: string, pieces: readonly string[]) =>
  many(
    tx,
    sql`
    insert into shared_file (piece_id, company_user_id, shared_value_id, position, piece)
    select shared_value_id || '_' || nth, company_user_id, shared_value_id, nth, piece
      from shared_value, unnest(${pieces}::text[]) with ordinality as p(piece, nth)
     where shared_value_id = ${shared_value_id}`,
  );
