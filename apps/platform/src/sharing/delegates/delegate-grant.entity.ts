import type { Sealed } from '@codase/contracts';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

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
