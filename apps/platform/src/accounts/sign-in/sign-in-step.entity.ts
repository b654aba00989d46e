import { Column, Entity, PrimaryColumn } from 'typeorm';

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
