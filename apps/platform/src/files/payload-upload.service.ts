import type { BodySink } from '@cds/runtime/http';
import type { DataSource, EntityManager } from 'typeorm';
import type { Home } from '../regions/index.ts';
import { PIECE_BYTES } from '../text-pieces.ts';
import { packPiece, type PackedPiece } from './packed-piece.ts';
import { PayloadText, type PayloadDigests } from './payload-text.ts';
import { encryptPiece, newPieceKey } from './piece-key.ts';
import type { Pieces } from './pieces.store.ts';
import type { RestingFile } from './resting-files.hook.ts';

/** A payload that rests already, and that no act has taken yet. */
export interface UploadedPayload extends PayloadDigests {
  owner_id: string;
  /** Whoever takes it writes it into the row. Null where the pieces are as they came. */
  piece_key: Buffer | null;
}

/** Where a payload goes. */
export interface Upload {
  file: RestingFile;
  /** Adds the row of the file, in the transaction of its first piece. */
  addRow(tx: EntityManager): Promise<unknown>;
  /** It is sealed, whatever it looks like: it rests as it is, and can be copied. */
  isSealed?: true;
  /** Refuses what must not be written to a disk, before anything is. */
  mayRest?: (() => Promise<void>) | undefined;
}

/** A payload on its way in: each piece is stored as it comes, under the lock of the company, so that nothing is written behind a move. */
export class PayloadUpload implements BodySink {
  private readonly text = new PayloadText();
  private position = 0;
  private key: Buffer | null | undefined;
  /** One that is packed, and one that is stored meanwhile. */
  private readonly packed: [Buffer?, Buffer?] = [];
  /** The piece before, which is stored while this one comes. */
  private storing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly db: DataSource,
    private readonly home: Home,
    private readonly pieces: Pieces,
    private readonly upload: Upload,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    if (this.key === undefined) this.key = this.upload.isSealed ? null : newPieceKey(bytes);
    for (const piece of this.text.add(bytes)) await this.put(piece);
  }

  async end(): Promise<UploadedPayload> {
    const { piece, digests } = this.text.end();
    if (piece.length > 0 || this.position === 0) await this.put(piece);
    await this.storing;
    return { owner_id: this.upload.file.owner_id, piece_key: this.key ?? null, ...digests };
  }

  async abandon(): Promise<void> {
    await this.storing.catch(() => undefined); // whoever abandons it knows why
    if (this.position > 0) await this.pieces.removeWaiting(this.db, this.upload.file.owner_id);
  }

  /** All of a payload that is here, or is made while it is stored; its first chunk holds the head of a data URI whole, if it is one. */
  async store(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<UploadedPayload> {
    try {
      for await (const chunk of chunks) await this.write(chunk);
      return await this.end();
    } catch (error) {
      await this.abandon();
      throw error;
    }
  }

  /** Waits for the piece before, whose memory is the next one's, when this one is on its way: the database has always one to store. */
  private async put(text: Buffer): Promise<void> {
    if (this.position === 0) await this.upload.mayRest?.();
    const position = ++this.position;
    const stored = packPiece(text, (this.packed[position % 2 === 0 ? 0 : 1] ??= memoryFor(text)));
    if (this.key) encryptPiece(this.key, position, stored.bytes);
    if (position === 1) return void (await this.putInTransaction(position, stored)); // the others belong to a row that it makes
    const before = this.storing;
    this.storing = this.putAtOnce(position, stored);
    this.storing.catch(() => undefined); // it is waited for by the next, or by the end
    await before;
  }

  /** One statement, where nobody holds the lock. Elsewhere it is waited for, and refused as any write is. */
  private async putAtOnce(position: number, piece: PackedPiece): Promise<void> {
    if (!(await this.pieces.addIfHome(this.db, this.upload.file, position, piece))) await this.putInTransaction(position, piece);
  }

  private putInTransaction(position: number, piece: PackedPiece): Promise<unknown> {
    const { file, addRow } = this.upload;
    return this.home.write(file.company_user_id, async (tx) => {
      if (position === 1) await addRow(tx);
      await this.pieces.add(tx, file, position, piece);
    });
  }
}

/** Nothing follows a short one. */
const memoryFor = ({ length }: Buffer): Buffer => Buffer.allocUnsafeSlow(length < PIECE_BYTES / 2 ? length : PIECE_BYTES);
