import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a user asked a provider to verify. */
@Entity({ name: 'verification_request' })
export class VerificationRequestEntity {
  @PrimaryColumn('text') verification_id!: string;
  @Column('text') user_id!: string;
  @Column('text') field!: string;
  @Column('text') field_type!: string;
  /** The salt of the digest that stands for the field in the attestation. */
  @Column('text') field_salt!: string;
  @Column('text') provider_id!: string;
  /** When the value was set that the user wants verified: no later value is. */
  @Column('timestamptz') value_as_of!: Date;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') expires_at!: Date;
}
