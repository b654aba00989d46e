import { Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { execute, many, one, sql, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';

/** A long request or file that was sent in pieces, and their number. */
export interface Chunked {
  transfer_id: string;
  pieces: number;
}

export const addChunk = (db: Db, transfer_id: string, { position, piece, now }: { position: number; piece: string; now: Date }) =>
  execute(
    db,
    sql`
    insert into parcel_piece (parcel_id, position, piece, arrived_at) values (${transfer_id}, ${position}, ${piece}, ${now})
    on conflict (parcel_id, position) do nothing`,
  );

/** Joins the pieces and deletes their rows. */
export async function takeChunked(tx: EntityManager, { transfer_id, pieces }: Chunked): Promise<string> {
  const taken = await many<{ position: number; piece: string }>(
    tx,
    sql`
    delete from parcel_piece where parcel_id = ${transfer_id} returning position, piece`,
  );
  if (taken.length !== pieces) throw notWhole();
  return taken
    .sort((one, other) => one.position - other.position)
    .map(({ piece }) => piece)
    .join('');
}

/** Yields the pieces one after the other and deletes each, so that a long content is never in memory as a whole. */
export async function* takePieces(db: Db, { transfer_id, pieces }: Chunked): AsyncIterable<string> {
  for (let position = 0; position < pieces; position++) {
    const taken = await one<{ piece: string }>(
      db,
      sql`delete from parcel_piece where parcel_id = ${transfer_id} and position = ${position} returning piece`,
    );
    if (!taken) throw notWhole();
    yield taken.piece;
  }
}

const notWhole = () => new Refusal('service.unavailable').because('Not all of it has come: send it again');

/**
 * Pieces that have arrived and that no request has taken yet. Old ones are deleted, since their sender may have died or given up. @gap D1-1
 */
@Injectable()
export class ArrivedChunks {
  /** Far longer than sending all pieces takes. */
  readonly keptMs = 10 * 60_000;

  async removeAbandoned(db: Db, before: Date, most: number): Promise<number> {
    const removed = await many(
      db,
      sql`
      delete from parcel_piece
       where ctid = any(array(select ctid from parcel_piece where arrived_at < ${before} order by arrived_at limit ${most}))
      returning parcel_id`,
    );
    return removed.length;
  }
}
