import type { Level } from '@codase/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An account: how a user signs in, and where the user lives. @spec D1-2.1 */
@Entity({ name: 'account' })
export class AccountEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('text') type!: 'person' | 'company';
  @Column('text', { unique: true }) email!: string;
  @Column('text') region!: string;
  @Column('timestamptz') created_at!: Date;
  @Column('text', { nullable: true }) password_hash!: string | null;
  @Column('text', { nullable: true, unique: true }) share_code!: string | null;
  @Column('text', { nullable: true }) public_key!: string | null;
  @Column('text', { default: 'free' }) level!: Level;
  /** When an operator disabled the account, which then cannot sign in, and whose clients get no tokens; null otherwise. */
  @Column('timestamptz', { nullable: true }) disabled_at!: Date | null;
  @Column('timestamptz', { nullable: true }) without_flows_since!: Date | null;
  @Column('timestamptz', { nullable: true }) free_since!: Date | null;
}
