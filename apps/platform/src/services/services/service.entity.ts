import type { EncryptedPrivateKey } from '@codase/contracts';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A service as its region keeps it. @spec D1-2.4 */
@Entity({ name: 'service' })
@Unique(['company_user_id', 'share_code'])
export class ServiceEntity {
  @PrimaryColumn('text') service_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') name!: string;
  @Column('text') share_code!: string;
  @Column('text') public_key!: string;
  @Column('timestamptz') created_at!: Date;
  @Column('text', { default: '' }) admin_email!: string;
  @Column('boolean', { default: false }) number_matching!: boolean;
  @Column('text', { default: 'both' }) audience!: 'both' | 'b2b';
  @Column('jsonb', { nullable: true }) encrypted_private_key!: EncryptedPrivateKey | null;
  /** The private key file that the creator stored, which only the passphrase opens; null when there is none. @gap D1-2.3 */
  @Column('text', { nullable: true }) private_key_pem!: string | null;
  @Column('text', { array: true, default: [] }) shared_fields!: string[];
  @Column('text', { nullable: true }) photo_id!: string | null;
  /** The version of the request fields, which grows with every publication. */
  @Column('integer', { default: 1 }) config_version!: number;
  /** What this region and the front door are doing to the service, one after the other. A worker finishes what a crash interrupted. */
  @Column('text', { nullable: true }) transition!: 'creating_client' | 'withdrawing_client' | 'deleting' | null;
  /** The client that is being created or withdrawn. */
  @Column('text', { nullable: true }) transition_client_id!: string | null;
  @Column('timestamptz', { nullable: true }) transition_due_at!: Date | null;
  /** When the address was confirmed; null while nobody has shown that mail to the address is read. @gap D1-2.4 */
  @Column('timestamptz', { nullable: true }) admin_email_confirmed_at!: Date | null;
  @Column('text', { nullable: true }) admin_email_code_hash!: string | null;
  @Column('timestamptz', { nullable: true }) admin_email_code_ends_at!: Date | null;
  @Column('integer', { default: 0 }) admin_email_code_failures!: number;
}

/** An entry in the log of a service. */
@Entity({ name: 'service_log' })
export class ServiceLogEntity {
  @PrimaryColumn('text') log_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('timestamptz') at!: Date;
  @Column('text') kind!: string;
  @Column('text') message!: string;
  @Column('text', { nullable: true }) webhook_id!: string | null;
}

/** A field that a service asks its customers for. @spec D1-2.5 */
@Entity({ name: 'request_field' })
@Unique(['service_id', 'slug'])
export class RequestFieldEntity {
  @PrimaryColumn('text') service_field_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('integer') position!: number;
  @Column('text') slug!: string;
  @Column('text') label!: string;
  @Column('text') type!: string;
  @Column('boolean') one_time!: boolean;
  @Column('boolean') mandatory!: boolean;
  @Column('text') audience!: string;
  @Column('boolean') verified!: boolean;
  @Column('integer', { nullable: true }) verified_max_age_days!: number | null;
  @Column('jsonb', { nullable: true }) plugin!: unknown | null;
}
