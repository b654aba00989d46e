import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The second factor of an account. */
@Entity({ name: 'second_factor' })
export class SecondFactorEntity {
  @PrimaryColumn('text') user_id!: string;
  /** Another one for each authenticator that an account sets up. */
  @Column('text', { unique: true }) factor_id!: string;
  @Column('text') sealed_secrets!: string;
  /** Null while a new authenticator waits for its first code. */
  @Column('timestamptz', { nullable: true }) enabled_at!: Date | null;
  @Column('timestamptz', { nullable: true }) expires_at!: Date | null;
  @Column('bigint', { default: 0 }) last_step!: string;
}

/** A backup code of a second factor, by its hash. */
@Entity({ name: 'backup_code' })
export class BackupCodeEntity {
  @PrimaryColumn('text') factor_id!: string;
  @PrimaryColumn('text') code_hash!: string;
}

/** A browser that is not asked for a code, by the hash of the secret in its cookie. */
@Entity({ name: 'trusted_browser' })
export class TrustedBrowserEntity {
  @PrimaryColumn('text') device_id!: string;
  @Column('text') user_id!: string;
  @Column('text') factor_id!: string;
  @Column('text', { unique: true }) token_hash!: string;
  @Column('text') name!: string;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') last_seen_at!: Date;
  @Column('timestamptz') expires_at!: Date;
}
