import type { Db } from '@codase/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';

/** A file to be moved: the user who owns it, and the row that it belongs to. */
export interface RestingFile {
  /** The user with whom the file moves: a company, or the customer whose file it is. */
  company_user_id: string;
  owner_id: string;
}

/** Files of one capability: each has a row, and rests in pieces in the database or in the object store. */
export interface RestingFiles {
  /** The kind of the rows, as `stored_object` stores it. */
  readonly owner_kind: string;
  /** Lists files in the database that belong in the object store: files of companies at home, which no replica uploads now. */
  listToUpload(db: Db, most: number): Promise<RestingFile[]>;
  /** Locks the row before anything else, since a deletion locks it first too. Returns false when the row is gone. */
  lock(tx: EntityManager, owner_id: string): Promise<boolean>;
  /** Reads the pieces that the database has of a file. Each is valid until the next is requested. */
  read(db: DataSource, owner_id: string): AsyncIterable<Uint8Array>;
  /** Adds a piece, counted from 1, to the database. */
  addPiece(tx: EntityManager, file: RestingFile, position: number, piece: Uint8Array): Promise<unknown>;
  removePieces(tx: EntityManager, owner_id: string): Promise<unknown>;
}
export const RESTING_FILES = hook<RestingFiles>('files that rest');

/** One kind of rows that wait for an act that takes them. */
export interface Abandoned {
  /** How long a row waits before it counts as abandoned: longer than an act may take. */
  readonly keptMs: number;
  /** Removes at most `most` rows that have waited since before `before`. Returns how many. */
  removeAbandoned(db: Db, before: Date, most: number): Promise<number>;
}
export const ABANDONED = hook<Abandoned>('rows that no act took');
