import type { EncryptedPrivateKey } from '@codase/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { HomeState } from './home-lock.store.ts';

/** The profile of a user whose home is here, or was or will be here. */
@Entity({ name: 'profile' })
export class ProfileEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('text') type!: 'person' | 'company';
  @Column('text') display_name!: string;
  @Column('text') language!: string;
  @Column('text', { unique: true }) share_code!: string;
  @Column('text') public_key!: string;
  @Column('timestamptz') created_at!: Date;
  @Column('jsonb', { nullable: true }) encrypted_private_key!: EncryptedPrivateKey | null;
  @Column('text', { default: 'here' }) home!: HomeState;
  @Column('text', { nullable: true }) moving_to!: string | null;
}
