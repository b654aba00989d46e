import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A piece of a photo that rests in the database. */
@Entity({ name: 'photo_piece' })
@Unique(['photo_id', 'position'])
export class PhotoPieceEntity {
  @PrimaryColumn('text') piece_id!: string;
  @Column('text') owner_user_id!: string;
  @Column('text') photo_id!: string;
  @Column('integer') position!: number;
  @Column('text', { nullable: true }) piece!: string | null;
  @Column('text', { nullable: true }) encoding!: string | null;
  @Column('bytea', { nullable: true }) bytes!: Buffer | null;
}
