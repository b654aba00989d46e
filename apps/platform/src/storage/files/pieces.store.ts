import { Refusal } from '@codase/contracts';
import { AROUND_VALUE_BYTES, execute, longRow, many, one, prepared, sendLong, ValueTooLong, type Db, type Sql } from '@codase/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { PIECE_BYTES } from '../../kit/text-pieces.ts';
import type { Abandoned, RestingFile, RestingFiles } from './files.hook.ts';
import { packPiece, unpackPiece, type Encoding, type PackedPiece } from './packed-piece.ts';
import { decryptPiece, decryptTextPiece, encryptedBytes, PIECE_KEY_BYTES } from './piece-key.ts';
import { markForDeletionOf, type StoredObject } from './stored-objects.store.ts';

/** The tables of a capability with files: one with a row for each file, one with the pieces. All names are constants of the code. */
interface PieceTables {
  /** The kind of the rows, as `stored_object` stores it. */
  owner_kind: string;
  rows: string;
  /** The column with the key of a row; the table of pieces has it under the same name. */
  key: string;
  pieces: string;
  /** The column of both tables with the user who owns the file; `company_user_id` when absent. */
  user?: string;
  /** An SQL condition on a row: whether the file still waits for an act that takes it. Such a file stays in the database. */
  isWaiting?: string;
  /** How long a file waits for an act. */
  keptMs?: number;
  /** Whether the rows have the column `piece_key`, the key that encrypts the pieces. */
  hasKey?: boolean;
}

/** Where a file rests. */
export interface Resting {
  owner_id: string;
  /** How many pieces the database has. */
  pieces: number;
  /** Null when the file does not rest in the object store. */
  object: StoredObject | null;
}

type RestingRow<Own> = Own & Omit<Resting, 'object'> & { [K in keyof StoredObject]: StoredObject[K] | null };

const ENCODING_BYTES = 6;
const memoryOf = (bytes: number): Buffer => Buffer.allocUnsafeSlow(bytes + AROUND_VALUE_BYTES + PIECE_KEY_BYTES + ENCODING_BYTES);
export const pieceBuffer = (): Buffer => memoryOf(PIECE_BYTES);

/** One for the piece that is sent, one for the piece that `checked` keeps back, and one for the piece that is read ahead. */
const BUFFERS = 3;

/** Stores files in pieces in the database, where every file begins: none is in memory as a whole. Earlier releases stored text. */
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

  /** Finds a file with columns of its row, and where it rests. It is one statement, so that the file cannot move in between. */
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

  /** Reads a piece, counted from 1, into memory of the caller. */
  async findPiece(db: DataSource, owner_id: string, position: number, into: Buffer): Promise<Buffer | undefined> {
    const { rows, key, pieces, hasKey } = this.tables;
    const text = `
      select p.piece, p.bytes, p.encoding, ${hasKey ? 'f.piece_key' : 'null::bytea'} from ${pieces} p join ${rows} f using (${key})
       where p.${key} = $1 and p.position in ($2, $3)`;
    const query = { text, values: [owner_id, position, -position] };
    const found = await longRow(db, query, into).catch((error: unknown) => {
      if (error instanceof ValueTooLong) return longRow(db, query, memoryOf(encryptedBytes(PIECE_BYTES))); // text of an earlier release
      throw error;
    });
    if (!found) return undefined;
    const [piece, bytes, encoding, piece_key] = found as [Buffer | null, Buffer, Buffer, Buffer | null];
    if (piece) return piece_key ? decryptTextPiece(piece_key, position, piece) : piece;
    if (piece_key) decryptPiece(piece_key, position, bytes);
    return unpackPiece({ bytes, encoding: encoding.toString() as Encoding }, into);
  }

  /**
   * Reads the existing pieces one after the other, always one ahead, into memory that is used again: each is valid until the one after the
   * next is requested. Memory allocated for each piece would be garbage collected late.
   */
  async *read(db: DataSource, owner_id: string, most = Infinity): AsyncIterable<Uint8Array> {
    const buffers: Buffer[] = [];
    const read = (position: number): Promise<Buffer | undefined> => {
      const piece = this.findPiece(db, owner_id, position, (buffers[position % BUFFERS] ??= pieceBuffer()));
      piece.catch(() => undefined); // the loop below gets the error, if it still reads this piece
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
   * Adds a piece, counted from 1. The position of a piece of bytes is stored as a negative number: an earlier release, which knows only
   * text pieces, finds no first piece of such a file, so that it neither serves nor moves the file.
   */
  add(tx: EntityManager, { owner_id, company_user_id }: RestingFile, position: number, piece: PackedPiece): Promise<unknown> {
    const { key, pieces } = this.tables;
    const text = `insert into ${pieces} (piece_id, ${this.user}, ${key}, position, encoding, bytes) values ($1, $2, $3, $4, $5, $6)`;
    return many(tx, { text, values: [`${owner_id}_${position}`, company_user_id, owner_id, -position, piece.encoding, piece.bytes] });
  }

  /**
   * Adds a piece when the company is at home and its lock is free. Returns false when nothing was written. The commit does not wait for the
   * disk: the commit of the act that takes the file does, and Postgres writes its log in order.
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

  /** Copies the pieces of a file without a piece key unchanged to a file of other tables, inside the database. */
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
    return execute(db, { text: `delete from ${rows} where ${key} = $1 and ${isWaiting}`, values: [owner_id] });
  }

  /** Removes only files of companies that are at home. */
  async removeAbandoned(db: Db, before: Date, most: number): Promise<number> {
    const { rows, key, isWaiting } = this.tables;
    const text = `
      delete from ${rows} where ${key} in
        (select ${key} from ${rows} where ${isWaiting} and created_at <= $1 limit $2 for update skip locked)
         and exists (select from hold_homes(array[${this.user}]))
      returning 1`;
    return (await many(db, { text, values: [before, most] })).length;
  }

  /** Deletes the content of a file, wherever it rests; its row stays. */
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

  /** Stores the piece without a piece key: an act has taken the file, so no key has to protect it any more. */
  async addPiece(tx: EntityManager, file: RestingFile, position: number, piece: Uint8Array): Promise<unknown> {
    const { rows, key, hasKey } = this.tables;
    const forgetKey = { text: `update ${rows} set piece_key = null where ${key} = $1`, values: [file.owner_id] };
    if (position === 1 && hasKey) await execute(tx, forgetKey);
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    return this.add(tx, file, position, packPiece(text, Buffer.allocUnsafeSlow(text.length)));
  }

  removePieces(tx: EntityManager, owner_id: string): Promise<unknown> {
    const { key, pieces } = this.tables;
    return execute(tx, { text: `delete from ${pieces} where ${key} = $1`, values: [owner_id] });
  }
}
