import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A chunk of a transfer that is under way. */
@Entity({ name: 'parcel_piece' })
export class ParcelPieceEntity {
  @PrimaryColumn('text') parcel_id!: string;
  @PrimaryColumn('integer') position!: number;
  @Column('text') piece!: string;
  @Column('timestamptz') arrived_at!: Date;
}
