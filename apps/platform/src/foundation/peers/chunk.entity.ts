import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A chunk of a transfer that is under way. */
@Entity({ name: 'parcel_piece' })
export class ChunkEntity {
  @PrimaryColumn('text') parcel_id!: string;
  @PrimaryColumn('integer') position!: number;
  @Column('text') piece!: string;
  @Column('timestamptz') arrived_at!: Date;
}
