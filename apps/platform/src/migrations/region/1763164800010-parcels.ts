import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The pieces of a request from another region, until all have arrived and the request is performed. @gap D1-1 */
export class Parcels1763164800010 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table parcel_piece (
        parcel_id   text not null,
        position    integer not null,
        piece       text not null,
        arrived_at  timestamptz not null,
        primary key (parcel_id, position)
      )`);
    await db.query(`create index parcel_piece_forgotten on parcel_piece (arrived_at)`);
  }
}
