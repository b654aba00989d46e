import type { BodySink } from '@codase/runtime/http';
import type { DataSource, EntityManager } from 'typeorm';
import type { Home } from '../../foundation/regions/index.ts';
import { PIECE_BYTES } from '../../kit/text-pieces.ts';
import { packPiece, type PackedPiece } from './packed-piece.ts';
import { PayloadText, type PayloadDigests } from './payload-text.ts';
import { encryptPiece, newPieceKey } from './piece-key.ts';
import type { Pieces } from './pieces.store.ts';
import type { RestingFile } from './files.hook.ts';

/** A payload that is already stored, and that no act has taken yet. */
export interface UploadedPayload extends PayloadDigests {
  owner_id: string;
  /** The act that takes the payload writes this key into the row. Null when the pieces are not encrypted. */
  piece_key: Buffer | null;
}

/** Where a payload goes. */
export interface Upload {
  file: RestingFile;
  /** Adds the row of the file, in the transaction of its first piece. */
  addRow(tx: EntityManager): Promise<unknown>;
  /** Says that the payload is sealed, whatever it looks like: it is stored without a piece key, and can be copied. */
  isSealed?: true;
  /** Refuses a payload that must not be written to a disk, before any of it is written. */
  mayRest?: (() => Promise<void>) | undefined;
}

/** Stores each piece of a payload as it arrives, under the company's home lock: nothing is written after a move has copied the rows. */
export class PayloadUpload implements BodySink {
  private readonly text = new PayloadText();
  private position = 0;
  private key: Buffer | null | undefined;
  /** The buffers of two packed pieces: one is packed while the other is stored. */
  private readonly packed: [Buffer?, Buffer?] = [];
  /** The write of the previous piece, which is stored while the next one arrives. */
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
    await this.storing.catch(() => undefined); // the caller knows why it abandons the upload
    if (this.position > 0) await this.pieces.removeWaiting(this.db, this.upload.file.owner_id);
  }

  /** Stores a whole payload, which may be produced meanwhile. The first chunk of a data URI must contain its whole head. */
  async store(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<UploadedPayload> {
    try {
      for await (const chunk of chunks) await this.write(chunk);
      return await this.end();
    } catch (error) {
      await this.abandon();
      throw error;
    }
  }

  /** Sends the piece and waits until the previous one is stored, whose memory the next one uses: the database always has one to store. */
  private async put(text: Buffer): Promise<void> {
    if (this.position === 0) await this.upload.mayRest?.();
    const position = ++this.position;
    const stored = packPiece(text, (this.packed[position % 2 === 0 ? 0 : 1] ??= memoryFor(text)));
    if (this.key) encryptPiece(this.key, position, stored.bytes);
    if (position === 1) return void (await this.putInTransaction(position, stored)); // it adds the row to which the other pieces belong
    const before = this.storing;
    this.storing = this.putAtOnce(position, stored);
    this.storing.catch(() => undefined); // the next piece, or `end`, waits for it and gets the error
    await before;
  }

  /** Stores the piece with one statement when no move holds the lock. Otherwise waits for the lock, and is refused like any other write. */
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

/** Allocates memory for packed pieces. A short piece is the last one, so its memory need not be large enough for another. */
const memoryFor = ({ length }: Buffer): Buffer => Buffer.allocUnsafeSlow(length < PIECE_BYTES / 2 ? length : PIECE_BYTES);
