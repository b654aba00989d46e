import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A signature or an acceptance of a document. */
@Entity({ name: 'document_signature' })
@Unique(['document_id', 'user_id'])
export class DocumentSignatureEntity {
  @PrimaryColumn('text') signature_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') document_id!: string;
  @Column('text') user_id!: string;
  @Column('text') action!: string;
  @Column('text', { nullable: true }) method!: string | null;
  @Column('text', { nullable: true }) content_sha256!: string | null;
  @Column('text', { nullable: true }) plain_sha256!: string | null;
  @Column('text', { nullable: true }) signer_first_name!: string | null;
  @Column('text', { nullable: true }) signer_last_name!: string | null;
  @Column('boolean', { nullable: true }) signer_name_verified!: boolean | null;
  @Column('timestamptz') created_at!: Date;
}
