import type { EncryptedPrivateKey } from '@codase/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The key pair to which a company seals its recovery copies. */
@Entity({ name: 'recovery_key' })
export class RecoveryKeyEntity {
  @PrimaryColumn('text') company_user_id!: string;
  @Column('text') public_key!: string;
  @Column('jsonb') encrypted_private_key!: EncryptedPrivateKey;
  @Column('timestamptz') created_at!: Date;
}
