import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The person of an enrolment in two-factor approval at a service. */
@Entity({ name: 'enrolment' })
export class EnrolmentEntity {
  @PrimaryColumn('text') service_id!: string;
  @PrimaryColumn('text') person_user_id!: string;
  @Column('timestamptz') created_at!: Date;
  @Column('text', { nullable: true }) connection_id!: string | null;
}

/** The outcome of an enrolment that is fetched by whoever began it. */
@Entity({ name: 'detached_result' })
export class DetachedResultEntity {
  @PrimaryColumn('text') client_id!: string;
  @PrimaryColumn('text') state_hash!: string;
  @Column('text') outcome!: 'waiting' | 'enrolling' | 'enrolled' | 'denied';
  @Column('timestamptz') expires_at!: Date;
}

/** A sign-in whose password was right, and which waits for a code. */
@Entity({ name: 'sign_in_step' })
export class SignInStepEntity {
  @PrimaryColumn('text') step_hash!: string;
  @Column('text') user_id!: string;
  /** The hash that the password was checked with. */
  @Column('text') password_hash!: string;
  @Column('text') request_hash!: string;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') expires_at!: Date;
}
