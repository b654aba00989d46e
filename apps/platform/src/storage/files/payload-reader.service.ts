import { Refusal } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import { piecesIn, type Files } from './files.service.ts';
import { pieceBuffer, type Pieces, type Resting } from './pieces.store.ts';
import { findStored, type StoredObject } from './stored-objects.store.ts';

/** Reads payloads of companies at home in this region, from the database or the object store. */
export class PayloadReader {
  constructor(
    private readonly db: DataSource,
    private readonly files: Files,
    private readonly inDatabase: Pieces,
  ) {}

  /** Refuses when the payload cannot be read now; a later failure breaks off. A chunk is valid until the one after the next is read. */
  read(content: Resting): Promise<AsyncIterable<Uint8Array>> {
    return begun(this.bytes(content));
  }

  /** Returns a piece, counted from 1, for another region. The number of pieces depends on where the payload rests. */
  async piece(content: Resting, position: number): Promise<{ piece: Uint8Array | null; pieces: number }> {
    const { owner_id, pieces, object } = content;
    if (!object) return { piece: (await this.inDatabase.findPiece(this.db, owner_id, position, pieceBuffer())) ?? null, pieces };
    const piece = await this.refusable(object, () => this.files.piece(object, position));
    return { piece: piece ?? null, pieces: piecesIn(object) };
  }

  private async *bytes({ owner_id, object, ...content }: Resting): AsyncIterable<Uint8Array> {
    if (object) return yield* await this.stored(owner_id, object);
    let [sent, pieces] = [0, 0];
    for await (const bytes of this.inDatabase.read(this.db, owner_id, content.pieces)) {
      sent += bytes.length;
      pieces++;
      yield bytes;
    }
    if (pieces > 0 && pieces === content.pieces) return;
    // The payload moved to the object store meanwhile, or is gone.
    const moved = await findStored(this.db, owner_id);
    if (!moved) throw new Refusal('service.unavailable');
    yield* withoutFirst(sent, await this.stored(owner_id, moved));
  }

  /** Streams the object, or the pieces in the database when the payload has been brought back since its object was looked up. */
  private async stored(owner_id: string, object: StoredObject): Promise<AsyncIterable<Uint8Array>> {
    try {
      return this.noting(object, await this.files.stream(object));
    } catch (error) {
      const now = await this.inDatabase.findById(this.db, owner_id);
      if (now && !now.object) return this.inDatabase.read(this.db, owner_id, now.pieces);
      throw this.files.refusal(await this.files.noted(error, object));
    }
  }

  private async *noting(object: StoredObject, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    try {
      yield* bytes;
    } catch (error) {
      throw this.files.refusal(await this.files.noted(error, object));
    }
  }

  private refusable<T>(object: StoredObject, work: () => Promise<T>): Promise<T> {
    return work().catch(async (error: unknown) => {
      throw this.files.refusal(await this.files.noted(error, object));
    });
  }
}

/** Reads the first bytes before anything is answered, so that a refusal still gets its own status. */
async function begun(chunks: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      if (!first.done) yield first.value;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  })();
}

async function* withoutFirst(bytes: number, chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (chunk.length > left) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}
