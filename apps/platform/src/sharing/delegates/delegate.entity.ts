import type { Sealed } from '@codase/contracts';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A user who may work for a company, as the region of the company stores it. */
@Entity({ name: 'delegate' })
@Unique(['company_user_id', 'delegate_user_id'])
export class DelegateEntity {
  @PrimaryColumn('text') delegate_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') delegate_user_id!: string;
  @Column('text') delegate_type!: 'person' | 'company';
  /** The name at the time of adding, which is shown when the home region of the delegate does not answer. */
  @Column('text') display_name!: string;
  @Column('text') public_key!: string;
  /** The code by which the company has named the user; null in rows from before it was kept. */
  @Column('text', { nullable: true }) share_code!: string | null;
  /** When the user accepted: before, the company is not told who it is. */
  @Column('timestamptz', { nullable: true }) accepted_at!: Date | null;
  @Column('timestamptz') created_at!: Date;
}

/** A service that a delegate may work for. */
@Entity({ name: 'delegate_grant' })
@Unique(['delegate_id', 'service_id'])
export class DelegateGrantEntity {
  @PrimaryColumn('text') grant_id!: string;
  @Column('text') delegate_id!: string;
  @Column('text') service_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text', { nullable: true }) passphrase!: Sealed | null;
  @Column('timestamptz') granted_at!: Date;
  @Column('timestamptz', { nullable: true }) key_read_at!: Date | null;
}

/** A company that a user of this region works for. */
@Entity({ name: 'delegating_company' })
export class DelegatingCompanyEntity {
  @PrimaryColumn('text') user_id!: string;
  @PrimaryColumn('text') company_user_id!: string;
}
