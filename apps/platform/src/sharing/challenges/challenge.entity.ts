import type { ChallengeStatus } from '@codase/contracts';
import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A challenge as the company's region keeps it. @spec D1-2.10 */
@Entity({ name: 'challenge' })
@Unique(['service_id', 'key_hash'])
export class ChallengeEntity {
  @PrimaryColumn('text') challenge_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  /** The client that raised the challenge. The challenge is revoked when this client is deleted. */
  @Column('text') client_id!: string;
  @Column('text') connection_id!: string;
  @Column('text') person_user_id!: string;
  @Column('text') share_code!: string;
  /** The hash of the idempotency key, while the key is remembered. */
  @Column('text', { nullable: true }) key_hash!: string | null;
  @Column('text') body_hash!: string;
  @Column('text') status!: ChallengeStatus;
  /** Null when the challenge is no longer open. */
  @Column('text', { nullable: true }) context!: string | null;
  /** Null when the challenge is no longer open, or when number matching was off. */
  @Column('text', { nullable: true }) digits!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') expires_at!: Date;
  @Column('timestamptz', { nullable: true }) completed_at!: Date | null;
  /** When the outcome was delivered. */
  @Column('timestamptz', { nullable: true }) consumed_at!: Date | null;
  /** The trace in which the challenge was raised. The person's answer belongs to it. */
  @Column('text', { nullable: true }) traceparent!: string | null;
}

/** A person who approves the logins of a service, and the connection through which the person does so. @spec D1-2.10 */
@Entity({ name: 'twofa_enrolment' })
@Unique(['service_id', 'person_user_id'])
export class TwofaEnrolmentEntity {
  @PrimaryColumn('text') enrolment_id!: string;
  @Column('text') company_user_id!: string;
  @Column('text') service_id!: string;
  @Column('text') connection_id!: string;
  @Column('text') person_user_id!: string;
  @Column('text') share_code!: string;
  @Column('timestamptz') enrolled_at!: Date;
}
