import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A piece of a payload that rests in the database. */
@Entity({ name: 'document_piece' })
@Unique(['content_id', 'position'])
export class DocumentPieceEntity {
  @PrimaryColumn('text') piece_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') content_id!: string;
  @Column('integer') position!: number;
  @Column('text', { nullable: true }) piece!: string | null;
  @Column('bytea', { nullable: true }) bytes!: Buffer | null;
  @Column('text', { nullable: true }) encoding!: string | null;
}
