import { many, one, sql, type Db } from '@cds/runtime/db';
import { FileStoreFault, type FileContent, type FileStore } from '../files/index.ts';
import { piecesOf } from './shared-file.ts';

/** Files in the database, each in pieces, by the value whose file it is. Every file begins here, in the transaction that gives it. */
export class PostgresFiles implements FileStore {
  constructor(private readonly db: Db) {}

  async put(shared_value_id: string, { read }: FileContent): Promise<void> {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const texts: string[] = [];
    for await (const chunk of read()) texts.push(decoder.decode(chunk, { stream: true }));
    await this.putText(shared_value_id, texts.join('') + decoder.decode());
  }

  async putText(shared_value_id: string, text: string): Promise<void> {
    await many(
      this.db,
      sql`
      insert into shared_file (piece_id, company_user_id, shared_value_id, position, piece)
      select shared_value_id || '_' || nth, company_user_id, shared_value_id, nth, piece
        from shared_value, unnest(${piecesOf(text)}::text[]) with ordinality as p(piece, nth)
       where shared_value_id = ${shared_value_id}`,
    );
  }

  /** A piece at a time. */
  async get(shared_value_id: string): Promise<AsyncIterable<Uint8Array>> {
    const first = await this.piece(shared_value_id, 1);
    if (first === undefined) throw new FileStoreFault('missing', 'the database has no such file');
    return this.pieces(shared_value_id, first);
  }

  async delete(shared_value_id: string): Promise<void> {
    await many(this.db, sql`delete from shared_file where shared_value_id = ${shared_value_id}`);
  }

  private async *pieces(shared_value_id: string, first: string): AsyncIterable<Uint8Array> {
    let piece: string | undefined = first;
    for (let position = 2; piece !== undefined; position++) {
      yield Buffer.from(piece);
      piece = await this.piece(shared_value_id, position);
    }
  }

  private async piece(shared_value_id: string, position: number): Promise<string | undefined> {
    const found = await one<{ piece: string }>(
      this.db,
      sql`select piece from shared_file where shared_value_id = ${shared_value_id} and position = ${position}`,
    );
    return found?.piece;
  }
}
