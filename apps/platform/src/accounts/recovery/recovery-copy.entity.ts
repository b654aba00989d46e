import type { EncryptedPrivateKey, RecoveryKind, Sealed } from '@codase/contracts';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A copy of a secret, sealed to the recovery key of its company. */
@Entity({ name: 'recovery_copy' })
@Unique(['company_user_id', 'kind', 'subject_id', 'secret_id'])
export class RecoveryCopyEntity {
  @PrimaryColumn('text') copy_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') kind!: RecoveryKind;
  @Column('text') subject_id!: string;
  @Column('text') secret_id!: string;
  @Column('text', { nullable: true }) service_id!: string | null;
  @Column('text') value!: Sealed;
  @Column('timestamptz') created_at!: Date;
}

/** The key pair to which a company seals its recovery copies. */
@Entity({ name: 'recovery_key' })
export class RecoveryKeyEntity {
  @PrimaryColumn('text') company_user_id!: string;
  @Column('text') public_key!: string;
  @Column('jsonb') encrypted_private_key!: EncryptedPrivateKey;
  @Column('timestamptz') created_at!: Date;
}
