import type { Verification } from '@codase/contracts';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** An answer to a request row. */
@Entity({ name: 'shared_value' })
@Unique(['connection_id', 'service_field_id'])
export class SharedValueEntity {
  @PrimaryColumn('text') shared_value_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') connection_id!: string;
  @Column('text') service_field_id!: string;
  /** Null for a file. */
  @Column('text', { nullable: true }) value!: string | null;
  /** The SHA-256 of the file as it is served; null for a text. */
  @Column('text', { nullable: true }) file_sha256!: string | null;
  @Column('boolean') live!: boolean;
  @Column('boolean') source_private!: boolean;
  /** The customer's own field that a live answer follows; null for a snapshot. */
  @Column('text', { nullable: true }) source_field!: string | null;
  @Column('jsonb') verification!: Verification;
  @Column('timestamptz') updated_at!: Date;
  /** From when on a file that was shared once cannot be fetched any more; null for other answers. */
  @Column('timestamptz', { nullable: true }) expires_at!: Date | null;
  /** When the customer made this change, by the clock of the home region; null when that is not known. */
  @Column('timestamptz', { nullable: true }) as_of!: Date | null;
  @Column('boolean', { nullable: true }) file_deleted!: boolean | null;
}

/** A piece of the file of a binary answer. */
@Entity({ name: 'shared_file' })
@Unique(['shared_value_id', 'position'])
export class SharedFileEntity {
  @PrimaryColumn('text') piece_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') shared_value_id!: string;
  @Column('integer') position!: number;
  @Column('text', { nullable: true }) piece!: string | null;
  @Column('bytea', { nullable: true }) bytes!: Buffer | null;
  @Column('text', { nullable: true }) encoding!: string | null;
}

/** A request field that a customer has declined to answer. */
@Entity({ name: 'declined_field' })
@Unique(['connection_id', 'service_field_id'])
export class DeclinedFieldEntity {
  @PrimaryColumn('text') declined_field_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') connection_id!: string;
  @Column('text') service_field_id!: string;
  @Column('timestamptz') declined_at!: Date;
}

/** A value of a user's own profile: the source that live answers follow. @gap D1-5.8 */
@Entity({ name: 'contact_value' })
export class ContactValueEntity {
  @PrimaryColumn('text') owner_user_id!: string;
  @PrimaryColumn('text') slug!: string;
  @Column('text') value!: string;
  @Column('boolean') is_private!: boolean;
  @Column('jsonb') verification!: Verification;
  @Column('timestamptz') updated_at!: Date;
}
