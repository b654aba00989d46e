import type { Absent } from '@codase/domain';
import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { LoginState } from './login-state.ts';

/** A login that waits for the platform, or for the person, or that has its outcome. */
@Entity({ name: 'challenge' })
@Unique(['service', 'challenge_id'])
@Unique(['service', 'platform_key'])
export class ChallengeEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id!: string;
  @Column('text') service!: string;
  @Column('text') asker!: string;
  @Column('text') platform_key!: string;
  @Column('text') body_digest!: string;
  @Column('text') state!: Exclude<LoginState, Absent>;
  @Column('text', { nullable: true }) challenge_id!: string | null;
  @Column('timestamptz') requested_at!: Date;
  @Column('timestamptz', { nullable: true }) expires_at!: Date | null;
  @Column('timestamptz', { nullable: true }) completed_at!: Date | null;
  @Column('integer', { default: 0 }) polls!: number;
  @Column('timestamptz', { nullable: true }) poll_at!: Date | null;
  @Column('timestamptz', { nullable: true }) claimed_until!: Date | null;
  @Column('text', { nullable: true }) traceparent!: string | null;
  @Column('text', { nullable: true }) event_status!: string | null;
  @Column('text', { nullable: true }) event_traceparent!: string | null;
  @Column('boolean', { default: false }) published!: boolean;
}
