import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A photo. Its bytes are in pieces or in the object store. */
@Entity({ name: 'photo' })
export class PhotoEntity {
  @PrimaryColumn('text') photo_id!: string;
  @Column('text') owner_user_id!: string;
  @Column('text', { nullable: true }) service_id!: string | null;
  @Column('text', { nullable: true }) content_type!: string | null;
  /** The number of its bytes. */
  @Column('integer', { nullable: true }) size!: number | null;
  /** The SHA-256 of its bytes. */
  @Column('text', { nullable: true }) content_sha256!: string | null;
  @Column('bytea', { nullable: true }) piece_key!: Buffer | null;
  @Column('timestamptz') created_at!: Date;
}

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
