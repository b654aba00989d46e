import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { Files, findStored, piecesIn, type StoredObject } from '../files/index.ts';
import { findContentById, findPiece, pieceBuffer, readPieces, type Content } from './payloads.store.ts';

/** Payloads of companies that live here, wherever they rest. */
@Injectable()
export class PayloadReader {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly files: Files,
  ) {}

  /** Refused where it cannot be read now. What fails later breaks off. Bytes are good until those after the next are asked for. */
  read(content: Content): Promise<AsyncIterable<Uint8Array>> {
    return begun(this.bytes(content));
  }

  /** A piece, counted from 1, for another region that asks for one after the other; how many there are depends on where it rests. */
  async piece(content: Content, position: number): Promise<{ piece: Uint8Array | null; pieces: number }> {
    const { object } = content;
    if (!object) return { piece: (await findPiece(this.db, content.content_id, position, pieceBuffer())) ?? null, pieces: content.pieces };
    const piece = await this.refusable(object, () => this.files.piece(object, position));
    return { piece: piece ?? null, pieces: piecesIn(object) };
  }

  private async *bytes(content: Content): AsyncIterable<Uint8Array> {
    if (content.object) return yield* await this.stored(content.content_id, content.object);
    let [sent, pieces] = [0, 0];
    for await (const bytes of this.inDatabase(content)) {
      sent += bytes.length;
      pieces++;
      yield bytes;
    }
    if (pieces > 0 && pieces === content.pieces) return;
    // It moved to the object store meanwhile, or is gone.
    const object = await findStored(this.db, content.content_id);
    if (!object) throw new Refusal('service.unavailable');
    yield* withoutFirst(sent, await this.stored(content.content_id, object));
  }

  private inDatabase({ content_id, pieces }: Content): AsyncIterable<Uint8Array> {
    return readPieces(this.db, content_id, pieces);
  }

  /** It may have been brought back since it was looked for. */
  private async stored(content_id: string, object: StoredObject): Promise<AsyncIterable<Uint8Array>> {
    try {
      return this.noting(object, await this.files.stream(object));
    } catch (error) {
      const now = await findContentById(this.db, content_id);
      if (now && !now.object) return this.inDatabase(now);
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
