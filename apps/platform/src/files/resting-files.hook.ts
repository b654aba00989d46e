import type { Db } from '@cds/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';
import type { StoredObject } from './stored-objects.store.ts';

/** A file to be moved: whose it is, and the row that has it. */
export interface RestingFile {
  /** With whom it moves: a company, or a customer whose file it is. */
  company_user_id: string;
  owner_id: string;
}

/** Files of one capability: each has a row, and rests in pieces in the database or in the object store. */
export interface RestingFiles {
  /** What its rows are, as `stored_object` has it. */
  readonly owner_kind: string;
  /** Files in the database that belong into the object store, of companies at home, and that no replica uploads now. */
  listToUpload(db: Db, most: number): Promise<RestingFile[]>;
  /** Locks the row before anything else: whoever deletes it locks it first too. False where it is gone. */
  lock(tx: EntityManager, owner_id: string): Promise<boolean>;
  /** What the database has of a file, a piece at a time, each good until the next is asked for. */
  read(db: DataSource, owner_id: string): AsyncIterable<Uint8Array>;
  /** Puts one more piece, counted from 1, into the database. */
  addPiece(tx: EntityManager, file: RestingFile, position: number, piece: Uint8Array): Promise<unknown>;
  removePieces(tx: EntityManager, owner_id: string): Promise<unknown>;
}
export const RESTING_FILES = hook<RestingFiles>('files that rest');

export type StoredFile = RestingFile & StoredObject & { owner_kind: string };
