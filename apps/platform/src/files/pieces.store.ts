import { Refusal } from '@cds/contracts';
import { AROUND_VALUE_BYTES, longRow, many, one, prepared, sendLong, ValueTooLong, type Db, type Sql } from '@cds/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { PIECE_BYTES } from '../text-pieces.ts';
import type { Abandoned } from './abandoned.hook.ts';
import { packPiece, unpackPiece, type Encoding, type PackedPiece } from './packed-piece.ts';
import { decryptPiece, decryptTextPiece, encryptedBytes, PIECE_KEY_BYTES } from './piece-key.ts';
import type { RestingFile, RestingFiles } from './resting-files.hook.ts';
import { markForDeletionOf, type StoredObject } from './stored-objects.store.ts';

/** The tables of a capability that has files: one with a row for each, and one with their pieces. Their names are written in code. */
export interface PieceTables {
  /** What the rows are, as `stored_object` has it. */
  owner_kind: string;
  rows: string;
  /** The key of a row, by which its pieces name it too. */
  key: string;
  pieces: string;
  /** The column of both that names the user whose file it is; a company when nothing else is said. */
  user?: string;
  /** Of the columns of a row: whether the file waits for an act that takes it. Such a file stays in the database. */
  isWaiting?: string;
  /** How long a file waits. */
  keptMs?: number;
  /** Whether a row may have the key of its pieces, `piece_key`. */
  hasKey?: boolean;
}

/** Where a file rests. */
export interface Resting {
  owner_id: string;
  /** In the database. */
  pieces: number;
  /** Null where it does not rest in the object store. */
  object: StoredObject | null;
}

type RestingRow<Own> = Own & Omit<Resting, 'object'> & { [K in keyof StoredObject]: StoredObject[K] | null };

const ENCODING_BYTES = 6;
const memoryOf = (bytes: number): Buffer => Buffer.allocUnsafeSlow(bytes + AROUND_VALUE_BYTES + PIECE_KEY_BYTES + ENCODING_BYTES);
export const pieceBuffer = (): Buffer => memoryOf(PIECE_BYTES);

/** A piece that is sent, one that is kept back until more is known, and one that is read ahead. */
const BUFFERS = 3;

/**
 * Files in pieces in the database, where each begins. No piece is a long value by itself, and none of a file is in memory whole. Pieces of
 * earlier releases are text.
 */
export class Pieces implements RestingFiles, Abandoned {
  constructor(private readonly tables: PieceTables) {}

  get owner_kind(): string {
    return this.tables.owner_kind;
  }

  get keptMs(): number {
    return this.tables.keptMs ?? Infinity;
  }

  private get user(): string {
    return this.tables.user ?? 'company_user_id';
  }

  /** A file with columns of its row, and where it rests. One statement, so that nothing is moved between. */
  async find<Own extends object>(
    db: Db,
    columns: readonly (keyof Own & string)[],
    { text: where, values }: Sql,
  ): Promise<(Own & Resting) | undefined> {
    const { rows, key, pieces } = this.tables;
    const text = `
      select ${columns.map((column) => `f.${column},`).join(' ')} f.${key} as owner_id,
             o.object_key, o.sealing_key, o.bytes::integer as bytes,
             (select count(*)::int from ${pieces} p where p.${key} = f.${key}) as pieces
        from ${rows} f left join stored_object o on o.owner_id = f.${key} and o.state = 'stored'
       where ${where}`;
    const found = await one<RestingRow<Own>>(db, { text, values });
    if (!found) return undefined;
    const { object_key, sealing_key, bytes, ...file } = found;
    const object = object_key === null ? null : { object_key, sealing_key: sealing_key!, bytes: bytes! };
    return { ...file, object } as unknown as Own & Resting;
  }

  findById(db: Db, owner_id: string): Promise<Resting | undefined> {
    return this.find(db, [], { text: `f.${this.tables.key} = $1`, values: [owner_id] });
  }

  /** A piece, counted from 1, in memory of the caller. */
  async findPiece(db: DataSource, owner_id: string, position: number, into: Buffer): Promise<Buffer | undefined> {
    const { rows, key, pieces, hasKey } = this.tables;
    const text = `
      select p.piece, p.bytes, p.encoding, ${hasKey ? 'f.piece_key' : 'null::bytea'} from ${pieces} p join ${rows} f using (${key})
       where p.${key} = $1 and p.position in ($2, $3)`;
    const asked = { text, values: [owner_id, position, -position] };
    const found = await longRow(db, asked, into).catch((error: unknown) => {
      if (error instanceof ValueTooLong) return longRow(db, asked, memoryOf(encryptedBytes(PIECE_BYTES))); // text of an earlier release
      throw error;
    });
    if (!found) return undefined;
    const [piece, bytes, encoding, piece_key] = found as [Buffer | null, Buffer, Buffer, Buffer | null];
    if (piece) return piece_key ? decryptTextPiece(piece_key, position, piece) : piece;
    if (piece_key) decryptPiece(piece_key, position, bytes);
    return unpackPiece({ bytes, encoding: encoding.toString() as Encoding }, into);
  }

  /**
   * Pieces one after the other as far as they are there, and the next one ahead, in memory that is used again: each is good until the one
   * after the next is asked for. What is allocated for each piece would be collected late.
   */
  async *read(db: DataSource, owner_id: string, most = Infinity): AsyncIterable<Uint8Array> {
    const buffers: Buffer[] = [];
    const read = (position: number): Promise<Buffer | undefined> => {
      const piece = this.findPiece(db, owner_id, position, (buffers[position % BUFFERS] ??= pieceBuffer()));
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

  /**
   * One more piece, counted from 1. The position of one that is bytes is written below zero: a release that knows texts alone finds no
   * first piece of such a file, so that it neither serves it nor moves it.
   */
  add(tx: EntityManager, { owner_id, company_user_id }: RestingFile, position: number, piece: PackedPiece): Promise<unknown> {
    const { key, pieces } = this.tables;
    const text = `insert into ${pieces} (piece_id, ${this.user}, ${key}, position, encoding, bytes) values ($1, $2, $3, $4, $5, $6)`;
    return many(tx, { text, values: [`${owner_id}_${position}`, company_user_id, owner_id, -position, piece.encoding, piece.bytes] });
  }

  /**
   * The same of a company that is at home, and for whose lock nobody waits. False where nothing was written. Its commit does not wait for
   * the disk: the commit of the act that takes the file does, and Postgres writes its log in order.
   */
  async addIfHome(db: DataSource, { owner_id, company_user_id }: RestingFile, position: number, piece: PackedPiece): Promise<boolean> {
    const { key, pieces } = this.tables;
    const text = `
      with later as materialized (select set_config('synchronous_commit', 'off', true)),
           home as (select hold_homes(array[$1]))
      insert into ${pieces} (${this.user}, piece_id, ${key}, position, encoding, bytes)
      select home.*, $2, $3, $4, $5, $6::bytea from later, home
      returning 1`;
    const values = [company_user_id, `${owner_id}_${position}`, owner_id, -position, piece.encoding, piece.bytes];
    return (await sendLong(db, prepared(`add_${pieces}`, { text, values }))) > 0;
  }

  /** Copies the pieces of a file that has no key, as they are, to a file of other tables: none of them leaves the database. */
  async copyTo(tx: EntityManager, owner_id: string, to: Pieces, file: RestingFile): Promise<void> {
    const text = `
      with copied as (
        insert into ${to.tables.pieces} (piece_id, ${to.user}, ${to.tables.key}, position, piece, encoding, bytes)
        select $1 || '_' || abs(position), $2, $1, position, piece, encoding, bytes
          from ${this.tables.pieces} where ${this.tables.key} = $3
        returning 1)
      select count(*)::int as pieces from copied`;
    const { pieces } = (await one<{ pieces: number }>(tx, { text, values: [file.owner_id, file.company_user_id, owner_id] }))!;
    if (pieces === 0) throw new Refusal('service.unavailable');
  }

  removeWaiting(db: Db, owner_id: string): Promise<unknown> {
    const { rows, key, isWaiting } = this.tables;
    return many(db, { text: `delete from ${rows} where ${key} = $1 and ${isWaiting}`, values: [owner_id] });
  }

  /** Those of companies that are at home. */
  async removeAbandoned(db: Db, before: Date, most: number): Promise<number> {
    const { rows, key, isWaiting } = this.tables;
    const text = `
      delete from ${rows} where ${key} in
        (select ${key} from ${rows} where ${isWaiting} and created_at <= $1 limit $2 for update skip locked)
         and exists (select from hold_homes(array[${this.user}]))
      returning 1`;
    return (await many(db, { text, values: [before, most] })).length;
  }

  /** Lets go of a file, wherever it rests; its row stays. */
  async forget(tx: EntityManager, owner_id: string): Promise<void> {
    if (!(await this.lock(tx, owner_id))) return;
    await this.removePieces(tx, owner_id);
    await markForDeletionOf(tx, owner_id);
  }

  listToUpload(db: Db, most: number): Promise<RestingFile[]> {
    const { rows, key, pieces, isWaiting = 'false' } = this.tables;
    const text = `
      select f.${key} as owner_id, f.${this.user} as company_user_id
        from ${pieces} c
        join ${rows} f on f.${key} = c.${key} and not (${isWaiting})
        join profile p on p.user_id = f.${this.user} and p.home = 'here'
       where c.position in (1, -1)
         and not exists (select from stored_object o where o.owner_id = f.${key} and o.state <> 'deleting')
       limit $1`;
    return many<RestingFile>(db, { text, values: [most] });
  }

  async lock(tx: EntityManager, owner_id: string): Promise<boolean> {
    const { rows, key } = this.tables;
    return (await one(tx, { text: `select from ${rows} where ${key} = $1 for no key update`, values: [owner_id] })) !== undefined;
  }

  /** As it is: by now an act has taken the file. */
  async addPiece(tx: EntityManager, file: RestingFile, position: number, piece: Uint8Array): Promise<unknown> {
    const { rows, key, hasKey } = this.tables;
    const forgetKey = { text: `update ${rows} set piece_key = null where ${key} = $1`, values: [file.owner_id] };
    if (position === 1 && hasKey) await many(tx, forgetKey);
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    return this.add(tx, file, position, packPiece(text, Buffer.allocUnsafeSlow(text.length)));
  }

  removePieces(tx: EntityManager, owner_id: string): Promise<unknown> {
    const { key, pieces } = this.tables;
    return many(tx, { text: `delete from ${pieces} where ${key} = $1`, values: [owner_id] });
  }
}
