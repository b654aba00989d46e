import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** The payload of a document for one reader. */
@Entity({ name: 'document_content' })
@Unique(['document_id', 'reader'])
export class DocumentContentEntity {
  @PrimaryColumn('text') content_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text', { nullable: true }) document_id!: string | null;
  @Column('text', { nullable: true }) reader!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('text', { nullable: true }) served_sha256!: string | null;
  @Column('bytea', { nullable: true }) piece_key!: Buffer | null;
  @Column('integer', { nullable: true }) served_bytes!: number | null;
}
