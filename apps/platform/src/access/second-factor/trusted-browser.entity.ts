import { Column, Entity, PrimaryColumn } from 'typeorm';

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
