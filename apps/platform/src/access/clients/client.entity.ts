import type { Capability, ClientKey } from '@codase/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ClientRow } from './client-row.ts';

/** A client as the front door registers it. @spec D1-2.1 */
@Entity({ name: 'client' })
export class ClientEntity {
  @PrimaryColumn('text') client_id!: string;
  @Column('text') kind!: ClientRow['kind'];
  @Column('text', { nullable: true }) company_user_id!: string | null;
  @Column('text', { nullable: true }) service_id!: string | null;
  @Column('text', { nullable: true }) region!: string | null;
  @Column('integer') epoch!: number;
  @Column('text', { nullable: true }) secret_hash!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('text', { default: '' }) name!: string;
  @Column('text', { nullable: true }) purpose!: string | null;
  @Column('text', { array: true, default: [] }) capabilities!: Capability[];
  @Column('text', { array: true, default: [] }) redirect_uris!: string[];
  @Column('timestamptz', { nullable: true }) disabled_at!: Date | null;
  @Column('text', { nullable: true }) old_secret_hash!: string | null;
  @Column('timestamptz', { nullable: true }) old_secret_until!: Date | null;
  @Column('integer', { default: 0 }) secret_version!: number;
  @Column('text', { default: 'first' }) secret_id!: string;
  @Column('jsonb', { default: [] }) keys!: ClientKey[];
  @Column('boolean', { default: false }) requires_key!: boolean;
  @Column('boolean', { default: false }) dpop_bound_access_tokens!: boolean;
}

/** A pattern of what a client may call. @spec D1-9 */
@Entity({ name: 'client_pattern' })
export class ClientPatternEntity {
  @PrimaryColumn('text') client_id!: string;
  @PrimaryColumn('text') pattern!: string;
}

/** A client that was withdrawn, so that it is never registered again. */
@Entity({ name: 'withdrawn_client' })
export class WithdrawnClientEntity {
  @PrimaryColumn('text') id!: string;
  @Column('timestamptz') withdrawn_at!: Date;
}

/** An assertion that a client has used, until it would be refused anyway. The front door and each region have such a table. @gap D1-5.2 */
@Entity({ name: 'used_assertion' })
export class UsedAssertionEntity {
  @PrimaryColumn('text') client_id!: string;
  @PrimaryColumn('text') jti_hash!: string;
  @Column('timestamptz') expires_at!: Date;
}
