import { Refusal } from '@cds/contracts';
import { many, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';

/** Something long, in so many pieces. */
export interface Parcel {
  parcel_id: string;
  pieces: number;
}

export const addPiece = (db: Db, parcel_id: string, { position, piece, now }: { position: number; piece: string; now: Date }) =>
  many(
    db,
    sql`
    insert into parcel_piece (parcel_id, position, piece, arrived_at) values (${parcel_id}, ${position}, ${piece}, ${now})
    on conflict (parcel_id, position) do nothing`,
  );

/** The whole text, of which nothing is left lying around. */
export async function takeParcel(tx: EntityManager, { parcel_id, pieces }: Parcel): Promise<string> {
  const taken = await many<{ position: number; piece: string }>(
    tx,
    sql`
    delete from parcel_piece where parcel_id = ${parcel_id} returning position, piece`,
  );
  if (taken.length !== pieces) throw new Refusal('service.unavailable').because('Not all of it has come: send it again');
  return taken
    .sort((one, other) => one.position - other.position)
    .map(({ piece }) => piece)
    .join('');
}

/** Answers how many pieces went. */
export async function removeParcels(db: Db, arrivedBefore: Date, most: number): Promise<number> {
  const removed = await many(
    db,
    sql`
    delete from parcel_piece
     where ctid = any(array(select ctid from parcel_piece where arrived_at < ${arrivedBefore} order by arrived_at limit ${most}))
    returning parcel_id`,
  );
  return removed.length;
}
