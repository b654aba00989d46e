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

/** An account that was deleted, so that a late message does not bring it back. */
@Entity({ name: 'deleted_account' })
export class DeletedAccountEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('timestamptz') deleted_at!: Date;
}

/** The last turn of moves that this region has heard of a company. */
@Entity({ name: 'move_turn' })
export class MoveTurnEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('integer') turn!: number;
}
