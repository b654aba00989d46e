import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-up that waits for the code that was mailed. */
@Entity({ name: 'pending_sign_up' })
export class PendingSignUpEntity {
  @PrimaryColumn('text') sign_up_id!: string;
  @Column('text') email!: string;
  @Column('text') code_hash!: string;
  @Column('text') password_hash!: string;
  @Column('jsonb') wanted!: unknown;
  @Column('integer', { default: 0 }) failures!: number;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') expires_at!: Date;
}

/** The profile of a new account, until its home region has it. */
@Entity({ name: 'profile_to_hand_over' })
export class ProfileToHandOverEntity {
  @PrimaryColumn('text') user_id!: string;
  @Column('jsonb') profile!: unknown;
  @Column('timestamptz') created_at!: Date;
}
