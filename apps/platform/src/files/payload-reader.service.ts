import { Refusal } from '@cds/contracts';
import type { DataSource } from 'typeorm';
import { piecesIn, type Files } from './files.service.ts';
import { pieceBuffer, type Pieces, type Resting } from './pieces.store.ts';
import { findStored, type StoredObject } from './stored-objects.store.ts';

/** Payloads of companies that live here, wherever they rest. */
export class PayloadReader {
  constructor(
    private readonly db: DataSource,
    private readonly files: Files,
    private readonly inDatabase: Pieces,
  ) {}

  /** Refused where it cannot be read now. What fails later breaks off. Bytes are good until those after the next are asked for. */
  read(content: Resting): Promise<AsyncIterable<Uint8Array>> {
    return begun(this.bytes(content));
  }

  /** A piece, counted from 1, for another region that asks for one after the other; how many there are depends on where it rests. */
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
    // It moved to the object store meanwhile, or is gone.
    const moved = await findStored(this.db, owner_id);
    if (!moved) throw new Refusal('service.unavailable');
    yield* withoutFirst(sent, await this.stored(owner_id, moved));
  }

  /** It may have been brought back since it was looked for. */
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

/** The first bytes are read before anything is answered: what is refused has a status then. */
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
