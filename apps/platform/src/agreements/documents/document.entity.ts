import type { DocumentStatus } from '@codase/domain';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A document as the region of the company stores it. Its payload is read separately. @spec D1-2.12 */
@Entity({ name: 'document' })
export class DocumentEntity {
  @PrimaryColumn('text') document_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  /** Null when the document is for all customers of the service, as are the next three members, and for the company's own copy of a run. */
  @Column('text', { nullable: true }) connection_id!: string | null;
  /** The recipient: a customer, or the company itself for its own copy of a document of a run. */
  @Column('text', { nullable: true }) person_user_id!: string | null;
  @Column('text', { nullable: true }) share_code!: string | null;
  @Column('text', { nullable: true }) customer_type!: 'person' | 'company' | null;
  @Column('text') name!: string;
  @Column('text') kind!: 'document' | 'agreement' | 'subscription';
  @Column('text') payload_kind!: 'json' | 'file';
  @Column('boolean') requires_signature!: boolean;
  @Column('boolean') requires_acceptance!: boolean;
  @Column('boolean') is_private!: boolean;
  /** A copy of a run may also wait for its turn in the signing line. @spec D2-3 */
  @Column('text') status!: DocumentStatus | 'waiting';
  @Column('json') metadata!: { can_be_cancelled_in_app: boolean; [member: string]: string | number | boolean | null };
  /** The MIME type of a file in the clear; null for all other payloads. */
  @Column('text', { nullable: true }) content_type!: string | null;
  /** The SHA-256 of the payload as it arrived, which is sealed when the document is for one recipient. */
  @Column('text') content_sha256!: string;
  /** The SHA-256 of the PDF that is signed or accepted. */
  @Column('text', { nullable: true }) plain_sha256!: string | null;
  @Column('timestamptz', { nullable: true }) sealed_at!: Date | null;
  /** YYYY-MM-DD: the day on which the document ends or has ended. */
  @Column('text', { nullable: true }) cancel_effective_date!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('bytea', { nullable: true }) repeat_hash!: Buffer | null;
  /** The run that produced the document, as are the next four members; null when a service has sent it. */
  @Column('text', { nullable: true }) run_id!: string | null;
  @Column('text', { nullable: true }) output_key!: string | null;
  @Column('text', { nullable: true }) party_key!: string | null;
  /** The place in the signing line, from 1; null for a party that neither signs nor accepts. @spec D2-2.2 */
  @Column('integer', { nullable: true }) position!: number | null;
  /** The place among all copies of the run, in line order. */
  @Column('integer', { nullable: true }) run_order!: number | null;
}

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
